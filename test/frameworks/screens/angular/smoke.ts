import { ChangeDetectionStrategy, Component, input, signal, type WritableSignal } from '@angular/core';
import { counted } from '../renders.js';
import { makeRows } from '../rows.js';

interface SignalRow {
  readonly id: number;
  readonly title: WritableSignal<string>;
}

@Component({
  selector: 'smoke-cell',
  changeDetection: ChangeDetectionStrategy.OnPush,
  template: `<input [attr.aria-label]="'Title ' + row().id" [value]="counted('cell', row().title())" (input)="edit($event)" />`,
})
export class Cell {
  readonly row = input.required<SignalRow>();
  protected readonly counted = counted;

  protected edit(event: Event): void {
    this.row().title.set((event.target as HTMLInputElement).value);
  }
}

@Component({
  selector: 'smoke-row',
  imports: [Cell],
  changeDetection: ChangeDetectionStrategy.OnPush,
  template: `<li [attr.data-id]="counted('row', row().id)"><smoke-cell [row]="row()" /></li>`,
})
export class Row {
  readonly row = input.required<SignalRow>();
  protected readonly counted = counted;
}

/** 200 rows with an input each. */
@Component({
  selector: '#root',
  imports: [Row],
  changeDetection: ChangeDetectionStrategy.OnPush,
  template: `
    <ul [attr.data-count]="counted('grid', rows.length)">
      @for (row of rows; track row.id) {
        <smoke-row [row]="row" />
      }
    </ul>
  `,
})
export default class Smoke {
  protected readonly rows: SignalRow[] = makeRows().map(({ id, title }) => ({ id, title: signal(title) }));
  protected readonly counted = counted;

  constructor() {
    window.edit = (id, title) => this.rows[id - 1]?.title.set(title);
  }
}
