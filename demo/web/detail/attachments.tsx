import { type DragEvent, useRef, useState } from 'react';
import { childrenOf } from 'repose';
import { useRecord, useStore } from 'repose/react';
import { useClient, useValue } from '../client/client-context.js';
import type { Upload } from '../client/uploads.js';
import uploadsText from '../client/uploads.ts?raw';
import { ShowCode } from '../code/show-code.js';
import { FailedRead } from '../controls/failed-read.js';
import type { Attachment, Order } from '../models.js';
import modelsText from '../models.ts?raw';
import { fileSize, moment } from './words.js';

/** The files of an order: those on the server, and those on their way, with their progress. */
export function Attachments({ order }: { readonly order: Order }) {
  const { models, uploads } = useClient();
  const { records, loading, error, retry } = useStore(childrenOf(order, models.Attachment));
  const sending = useValue(uploads.list).filter(({ orderId }) => orderId === order.id);
  const [isOver, setOver] = useState(false);
  const chooser = useRef<HTMLInputElement>(null);
  const send = (files: Iterable<File> | null | undefined) => void uploads.send(models, order, [...(files ?? [])]);
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    send(event.dataTransfer.files);
  };
  return (
    <section
      className="attachments"
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
    >
      <header className="part-top">
        <h4>Attachments</h4>
        <ShowCode
          title="Uploads with progress, which can be stopped"
          parts={[
            { file: 'client/uploads.ts', text: uploadsText, region: 'uploads' },
            { file: 'models.ts', text: modelsText, region: 'attachment' },
          ]}
        />
        <button type="button" onClick={() => chooser.current?.click()}>
          Add files
        </button>
        <input
          ref={chooser}
          type="file"
          multiple
          hidden
          aria-label="Files to attach"
          onChange={(event) => {
            send(event.target.files);
            event.target.value = '';
          }}
        />
      </header>
      {error && <FailedRead message={error.userMessage} retry={retry} />}
      <ul className="files">
        {records.map((attachment) => (
          <AttachmentRow key={attachment.$.key} attachment={attachment} />
        ))}
        {sending.map((upload) => (
          <UploadRow key={upload.key} upload={upload} />
        ))}
      </ul>
      {records.length + sending.length === 0 && !error && (
        <p className="empty" aria-busy={loading}>
          {loading ? 'Loading the attachments' : 'No files yet. Drop some here.'}
        </p>
      )}
    </section>
  );
}

function AttachmentRow({ attachment }: { readonly attachment: Attachment }) {
  const { values, erase, saving, error } = useRecord(attachment);
  return (
    <li>
      <span className="file-name" title={values.name}>
        {values.name}
      </span>
      <span className="quiet number" title={`Added ${moment(values.addedAt)}`}>
        {fileSize(values.size ?? 0)}
      </span>
      <button
        type="button"
        className="plain"
        aria-label={`Remove ${values.name}`}
        title="Remove"
        disabled={saving}
        onClick={() => void erase()}
      >
        ×
      </button>
      {error && (
        <em role="alert" className="file-failure">
          {error.userMessage}
        </em>
      )}
    </li>
  );
}

function UploadRow({ upload }: { readonly upload: Upload }) {
  const { name, size, sent, failure, abort, retry, dismiss } = upload;
  const percent = Math.round(sent * 100);
  return (
    <li data-wrong={failure !== undefined}>
      <span className="file-name" title={name}>
        {name}
      </span>
      {failure === undefined ? (
        <>
          <span className="quiet number">
            {percent} % of {fileSize(size)}
          </span>
          <button type="button" onClick={abort} aria-label={`Stop sending ${name}`}>
            Stop
          </button>
          <progress value={sent} max={1} aria-label={`Sending ${name}`} />
        </>
      ) : (
        <>
          <button type="button" onClick={retry} aria-label={`Send ${name} again`}>
            Send again
          </button>
          <button type="button" className="plain" onClick={dismiss} aria-label={`Forget ${name}`} title="Forget">
            ×
          </button>
          <em role="alert" className="file-failure">
            {failure}
          </em>
        </>
      )}
    </li>
  );
}
