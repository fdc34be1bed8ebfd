/** A byte queue: bytes are appended at the end and dropped at the front, in amortised linear time. */
export class ByteBuffer {
  bytes: Uint8Array = new Uint8Array(1 << 16);
  length: number = 0;

  append(more: Uint8Array): void {
    const length = this.length + more.length;
    if (length > this.bytes.length) {
      const bytes = new Uint8Array(Math.max(length, 2 * this.bytes.length));
      bytes.set(this.bytes.subarray(0, this.length));
      this.bytes = bytes;
    }
    this.bytes.set(more, this.length);
    this.length = length;
  }

  /** Drops the bytes before `at`, but only if they are at least half of the buffer. Returns the number of dropped bytes. */
  dropBefore(at: number): number {
    if (2 * at < this.length) return 0;
    this.bytes.copyWithin(0, at, this.length);
    this.length -= at;
    return at;
  }
}
