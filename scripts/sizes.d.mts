/** What an application imports. */
export interface ImportSet {
  readonly imports: string;
  readonly from: string;
  /** The most that it may weigh today, in bytes. */
  readonly limit: number;
}

/** An extension that an application adds. */
export interface SizedExtension {
  readonly name: string;
  readonly from: string;
  /** The most that it may add today, in bytes. */
  readonly limit: number;
}

export interface Measured {
  readonly minified: number;
  readonly gzip: number;
  /** Minified bytes by module. */
  readonly modules: Readonly<Record<string, number>>;
}

export const importSets: readonly ImportSet[];
export const extensions: readonly SizedExtension[];
export function measureSizes(): Promise<(ImportSet & Measured)[]>;
export function measureExtensions(): Promise<(SizedExtension & Measured)[]>;
export function formatSize(bytes: number): string;
