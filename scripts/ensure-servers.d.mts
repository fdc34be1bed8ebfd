export declare const serverFolders: () => string[];
export declare function ensureServer(name: string): Promise<string>;
