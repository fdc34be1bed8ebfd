/** The imports of an application. */
export interface ImportSet {
  /** The kind of application, for the README. */
  readonly use: string;
  readonly imports: string;
  readonly from: string;
  /** Most bytes, gzipped, that it may have. */
  readonly limit: number;
}

/** An extension or binding that an application adds. */
export interface SizedExtension {
  readonly name: string;
  readonly from: string;
  /** Most bytes, gzipped, that it may add. */
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
export const bindings: readonly SizedExtension[];
export function measureSizes(): Promise<(ImportSet & Measured)[]>;
export function measureExtensions(): Promise<(SizedExtension & Measured)[]>;
export function measureBindings(): Promise<(SizedExtension & Measured)[]>;
export function formatSize(bytes: number): string;
