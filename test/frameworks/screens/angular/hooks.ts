import { ChangeDetectionStrategy, Component, computed, input, signal } from '@angular/core';
import type { Store } from 'repose';
import {
  injectField,
  injectForm,
  injectGroups,
  injectList,
  injectLoaded,
  injectOutbox,
  injectReference,
  injectSelection,
  injectSource,
  injectStore,
  injectView,
  injectWindow,
} from 'repose/angular';
import {
  Delivery,
  deliveries,
  grouped,
  idIn,
  newOrders,
  newOrdersOf,
  note,
  Order,
  outbox,
  seen,
  shared,
  showStatus,
  undoable,
} from '../hooks.js';

const changeDetection = ChangeDetectionStrategy.OnPush;

@Component({
  selector: 'order-input',
  changeDetection,
  template: `<input aria-label="No" [value]="no().value" (input)="edit($event)" />`,
})
export class OrderInput {
  readonly order = input.required<Order>();
  protected readonly no = injectField(this.order, 'no');

  protected edit(event: Event): void {
    this.order().set('no', (event.target as HTMLInputElement).value);
  }
}

@Component({
  selector: 'own-store',
  imports: [OrderInput],
  changeDetection,
  template: `
    <section [attr.aria-busy]="orders().loading">
      @if (orders().error; as error) {
        <p role="alert" [title]="error.code"><button type="button" (click)="orders().retry()">Try again</button></p>
      }
      @for (order of orders().records; track order.$.key) {
        <order-input [order]="order" />
      }
      <button type="button" [disabled]="!orders().hasMore" (click)="orders().loadMore()">More</button>
      <button type="button" (click)="orders().store.sort('total')">Sort</button>
    </section>
  `,
})
export class OwnStore {
  protected readonly orders = injectStore(newOrders);
}

const storeTemplate = `<p role="status">{{ orders().loading ? 'loading' : 'idle' }} {{ ids() }}</p>`;

/** A store that depends on what the component is given, and is made anew. */
@Component({ selector: 'made-store', changeDetection, template: storeTemplate })
export class MadeStore {
  readonly status = input.required<string>();
  protected readonly orders = injectStore(
    () => newOrdersOf(this.status()),
    () => [this.status()],
  );
  protected readonly ids = computed(() => this.orders().records.map(({ id }) => id));
}

/** One that is changed. */
@Component({ selector: 'changed-store', changeDetection, template: storeTemplate })
export class ChangedStore {
  readonly status = input.required<string>();
  protected readonly orders = injectStore(
    () => newOrdersOf(this.status()),
    () => [this.status()],
    (store: Store<Order>) => showStatus(store, this.status()),
  );
  protected readonly ids = computed(() => this.orders().records.map(({ id }) => id));
}

/** One that is kept, by mistake. */
@Component({ selector: 'kept-store', changeDetection, template: storeTemplate })
export class KeptStore {
  readonly status = input.required<string>();
  protected readonly orders = injectStore(() => newOrdersOf(this.status()));
  protected readonly ids = computed(() => this.orders().records.map(({ id }) => id));
}

/** A source that has no function of its own. */
@Component({
  selector: 'undo-state',
  changeDetection,
  template: `<p role="status">{{ undo().canUndo ? 'can undo' : 'nothing to undo' }}</p>`,
})
export class UndoState {
  protected readonly undo = injectSource(undoable);
}

@Component({ selector: 'shared-store', changeDetection, template: `<p role="status">{{ text() }}</p>` })
export class SharedStore {
  private readonly orders = injectStore(shared);
  private readonly again = injectStore(shared);
  protected readonly text = computed(() => {
    const { loading, records } = this.orders();
    return `${loading ? 'loading' : 'idle'} ${records.map(({ id }) => id)} of ${this.again().total}`;
  });
}

@Component({
  selector: 'own-view',
  changeDetection,
  template: `<p role="status">{{ text() }}</p> <button type="button" (click)="direction.set('DESC')">Turn</button>`,
})
export class OwnView {
  protected readonly direction = signal<'ASC' | 'DESC'>('ASC');
  private readonly shown = injectView(grouped, () => ({
    sorters: [{ property: 'no' as const, direction: this.direction() }],
    filters: [{ property: 'status' as const, value: 'new' }],
  }));
  protected readonly text = computed(() => {
    seen(this.shown().view);
    return this.shown()
      .records.map(({ id }) => id)
      .join();
  });
}

@Component({
  selector: 'own-window',
  changeDetection,
  template: `
    <p role="status">{{ text() }}</p>
    @if (shown().error; as error) {
      <button type="button" (click)="shown().retry()">Try again after {{ error.code }}</button>
    }
    <button type="button" (click)="start.set(2)">Next</button>
  `,
})
export class OwnWindow {
  protected readonly start = signal(0);
  protected readonly shown = injectWindow(shared, () => ({
    ...{ start: this.start(), end: this.start() + 2, prefetch: 0 },
    query: shared.query.with({ sorters: ['no'] }),
  }));
  protected readonly text = computed(() => {
    const { list, loading, window } = this.shown();
    seen(window);
    const ids = list.slice(this.start(), this.start() + 2).map((order) => order?.id ?? '…');
    return `${loading ? 'loading' : 'idle'} ${ids} of ${list.count}`;
  });
}

@Component({
  selector: 'loaded-order',
  imports: [OrderInput],
  changeDetection,
  template: `
    <p [attr.role]="kind()">{{ text() }}</p>
    <button type="button" (click)="loaded().reload()">Reload</button>
    @if (loaded().record; as record) {
      <order-input [order]="record" />
    }
  `,
})
export class Loaded {
  readonly id = input<string>();
  readonly kind = input('status');
  protected readonly loaded = injectLoaded(Order, this.id);
  protected readonly text = computed(() => {
    const { record, loading, error, notFound, idle } = this.loaded();
    const what = idle ? 'idle' : notFound ? 'not found' : (error?.code ?? (loading ? 'loading' : 'loaded'));
    return `${what} ${record?.id ?? ''}`.trim();
  });
}

@Component({ selector: 'group-list', changeDetection, template: `<p role="status">{{ text() }}</p>` })
export class GroupList {
  private readonly shown = injectGroups(grouped);
  protected readonly text = computed(() => {
    const { groups, summaries } = this.shown();
    const texts = groups.map((each) => `${each.key} ${each.records.map(({ id }) => id)} = ${each.summaries.total}`);
    return `${texts.join('; ')} = ${summaries.total}`;
  });
}

@Component({
  selector: 'selected-orders',
  changeDetection,
  template: `
    <p role="status">{{ selection().count }} selected</p>
    @for (order of orders().records; track order.$.key) {
      <input
        type="checkbox"
        [attr.aria-label]="'Select ' + order.id"
        [checked]="selection().isSelected(order)"
        (change)="selection().toggle(order)"
      />
    }
    <button type="button" (click)="orders().loadPage(1)">Page 1</button>
    <button type="button" (click)="orders().loadPage(2)">Page 2</button>
    <button type="button" (click)="selection().selectAll()">All</button>
  `,
})
export class Selected {
  protected readonly orders = injectStore(shared);
  protected readonly selection = injectSelection(shared);
}

@Component({ selector: 'delivery-recipient', changeDetection, template: '<li>{{ text() }}</li>' })
export class Recipient {
  readonly delivery = input.required<Delivery>();
  private readonly recipient = injectReference(Delivery, this.delivery, 'customerId');
  protected readonly text = computed(() => {
    const { record, loading, error, notFound, idle } = this.recipient();
    return idle ? 'nobody' : notFound ? 'unknown' : loading ? '…' : (error?.code ?? record?.name);
  });
}

@Component({
  selector: 'all-deliveries',
  imports: [Recipient],
  changeDetection,
  template: `
    @for (delivery of list.value().slice(); track delivery.$.key) {
      <delivery-recipient [delivery]="delivery" />
    }
  `,
})
export class Deliveries {
  protected readonly list = injectList(deliveries);
}

/** A form whose saves an outbox keeps, and what the outbox holds. */
@Component({
  selector: 'offline-note',
  changeDetection,
  template: `
    @let input = form.input('text')();
    <form (submit)="save($event)">
      <input aria-label="Text" [value]="input.value" (input)="input.onInput($event)" />
      <button type="submit">Save</button>
    </form>
    <p role="note">{{ outcome() }}</p>
    <p role="status">{{ held().queued }} queued, {{ held().failed.length }} failed, {{ held().online ? 'online' : 'offline' }}</p>
    <em>{{ held().error?.userMessage }}</em>
    @for (write of held().failed; track write.key) {
      <p role="alert">
        {{ write.userMessage }}
        <button type="button" (click)="write.retry()">Send again</button>
        <button type="button" (click)="write.discard()">Give up</button>
      </p>
    }
  `,
})
export class Offline {
  protected readonly form = injectForm(note);
  protected readonly held = injectOutbox(outbox);
  protected readonly outcome = signal('');

  protected async save(event: Event): Promise<void> {
    this.outcome.set(String(await this.form.submit(event)));
  }
}

/** One part at a time, each with components that own what they show. */
@Component({
  selector: '#root',
  imports: [
    ...[ChangedStore, Deliveries, GroupList, KeptStore, Loaded, MadeStore, Offline, OwnStore, OwnView, OwnWindow],
    ...[Selected, SharedStore, UndoState],
  ],
  changeDetection,
  template: `
    @switch (part()) {
      @case ('store') { <own-store /> }
      @case ('shared') { <shared-store /> }
      @case ('made') { <made-store [status]="id() ?? ''" /> }
      @case ('changed') { <changed-store [status]="id() ?? ''" /> }
      @case ('kept') { <kept-store [status]="id() ?? ''" /> }
      @case ('source') { <undo-state /> }
      @case ('view') { <own-view /> }
      @case ('window') { <own-window /> }
      @case ('groups') { <group-list /> }
      @case ('selection') { <selected-orders /> }
      @case ('references') { <all-deliveries /> }
      @case ('offline') { <offline-note /> }
      @case ('loaded') { <loaded-order [id]="id()" /> }
      @case ('twice') { <loaded-order [id]="id()" /> <loaded-order [id]="id()" kind="note" /> }
    }
  `,
})
export default class Hooks {
  private readonly shown = signal('');
  protected readonly part = computed(() => this.shown().split('/')[0]);
  protected readonly id = computed(() => idIn(this.shown()));

  constructor() {
    window.show = (name) => this.shown.set(name);
  }
}
