/** The imports of an application. */
export interface ImportSet {
  /** The kind of application, for docs/reference/sizes.md. */
  readonly use: string;
  readonly imports: string;
  readonly from: string;
  /** A second import, of another entry. */
  readonly and?: { readonly imports: string; readonly from: string };
  /** Most bytes, gzipped, that a development bundle may have. */
  readonly limit: number;
  /** Most bytes, gzipped, that a production bundle may have. */
  readonly productionLimit: number;
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
export const tools: readonly SizedExtension[];
export const functions: readonly SizedExtension[];
export const values: readonly SizedExtension[];
export function importsOf(set: Pick<ImportSet, 'imports' | 'from' | 'and'>): string;
export function addedName(added: { readonly name: string; readonly from: string; readonly imports?: string }): string;
export function measureSizes(): Promise<(ImportSet & Measured & { readonly production: Measured })[]>;
export function measureNamed(
  sets: readonly SizedExtension[],
): Promise<(SizedExtension & Measured & { readonly production: { readonly gzip: number } })[]>;
export function measureBindings(): Promise<
  (SizedExtension & Measured & { readonly production: { readonly gzip: number } })[]
>;
export function measureTools(): Promise<
  (SizedExtension & Measured & { readonly production: { readonly gzip: number } })[]
>;
export function formatSize(bytes: number): string;
