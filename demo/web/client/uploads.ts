import { childrenOf, isDataError, type UploadProgress } from 'repose';
import type { Attachment, Order, ShopModels } from '../models.js';
import type { Network } from './network.js';
import { Value } from './value.js';

/** A file on its way to the server. */
export interface Upload {
  readonly key: number;
  readonly orderId: number;
  readonly name: string;
  readonly size: number;
  /** The part that was sent, from 0 to 1. */
  readonly sent: number;
  /** Why it has failed, in one sentence; undefined: it is being sent. */
  readonly failure: string | undefined;
  readonly abort: () => void;
  readonly retry: () => void;
  /** Takes a failed upload off the list. */
  readonly dismiss: () => void;
}

// #region uploads
/** The files that a client is sending, with their progress. */
export class Uploads {
  readonly list: Value<readonly Upload[]> = new Value<readonly Upload[]>([]);
  private readonly byRecord: Map<object, number> = new Map();
  private last = 0;

  constructor(private readonly network: Network) {}

  /** Takes the progress of `formBodies()`. */
  readonly onProgress = ({ operation, loaded, total }: UploadProgress): void => {
    const [record] = operation.records;
    const key = record && this.byRecord.get(record);
    if (key !== undefined) this.change(key, { sent: total > 0 ? loaded / total : 0 });
  };

  /** Sends files one after the other, as attachments of an order. */
  async send(models: Pick<ShopModels, 'Attachment'>, order: Order, files: readonly File[]): Promise<void> {
    for (const file of files) await this.sendOne(models, order, file);
  }

  private async sendOne(
    models: Pick<ShopModels, 'Attachment'>,
    order: Order,
    file: File,
    // Another try saves the same record, so that a server that has the file already does not store it twice.
    record: Attachment = new models.Attachment({ orderId: order.id, content: file }),
  ): Promise<void> {
    const { Attachment } = models;
    const controller = new AbortController();
    this.last += 1;
    const key = this.last;
    const dismiss = () => this.list.set(this.list.get().filter((each) => each.key !== key));
    this.list.set([
      ...this.list.get(),
      {
        key,
        orderId: order.id,
        name: file.name,
        size: file.size,
        sent: 0,
        failure: undefined,
        abort: () => controller.abort(),
        retry: () => {
          dismiss();
          void this.sendOne(models, order, file, record);
        },
        dismiss,
      },
    ]);
    this.byRecord.set(record, key);
    // This request does not pass the `fetch` of the network, so that the switch has to end it.
    const stop = this.network.online.subscribe(() => controller.abort());
    try {
      if (!this.network.online.get()) throw new TypeError('offline');
      await record.save({ signal: controller.signal });
      dismiss();
      await childrenOf(order, Attachment).load();
    } catch (error) {
      this.change(key, { failure: this.sentence(error) });
    } finally {
      stop();
      this.byRecord.delete(record);
    }
  }
  // #endregion

  private sentence(error: unknown): string {
    if (!this.network.online.get()) return 'There is no network. The file was not sent.';
    if (isDataError(error)) return error.code === 'abort' ? 'The upload was stopped.' : error.userMessage;
    return 'The file could not be sent.';
  }

  private change(key: number, part: Partial<Upload>): void {
    this.list.set(this.list.get().map((each) => (each.key === key ? { ...each, ...part } : each)));
  }
}
