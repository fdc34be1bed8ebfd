/** What an application imports. */
export interface ImportSet {
  readonly imports: string;
  readonly from: string;
  readonly file: string;
  /** The most that it may weigh today, in bytes. */
  readonly limit: number;
  /** Where that is to go. */
  readonly goal: number;
}

export interface MeasuredSet extends ImportSet {
  readonly minified: number;
  readonly gzip: number;
}

export const importSets: readonly ImportSet[];
export function measureSizes(): Promise<MeasuredSet[]>;
export function formatSize(bytes: number): string;
