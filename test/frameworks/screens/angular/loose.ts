import { ChangeDetectionStrategy, Component, input, signal } from '@angular/core';
import { viewOf } from 'repose';
import { injectField, injectList, injectRecord } from 'repose/angular';
import { counted } from '../renders.js';
import { loose, stateOf, Task, tasks } from '../tasks.js';

const other = Task.fromRow({ id: 901, title: 'Other', due: '2026-12-24T00:00:00Z' });
const view = viewOf(tasks, { filters: [{ property: 'id', operator: 'gt', value: 1 }] });

@Component({
  selector: 'task-form',
  changeDetection: ChangeDetectionStrategy.OnPush,
  template: `
    <input aria-label="Title" [value]="title().value" (input)="task().title = $any($event.target).value" />
    <input aria-label="Due" type="date" [value]="day(due().value)" (input)="task().due = $any($event.target).valueAsDate" />
    <output>{{ stateOf(state()) }} {{ state().values.title }}</output>
  `,
})
export class Form {
  readonly task = input.required<Task>();
  protected readonly title = injectField(this.task, 'title');
  protected readonly due = injectField(this.task, () => 'due');
  protected readonly state = injectRecord(() => this.task());
  protected readonly stateOf = stateOf;

  protected day(due: Date | undefined): string {
    return counted('cell', due?.toISOString().slice(0, 10) ?? '');
  }
}

/** A record that is in no store, and a list; both can be exchanged. */
@Component({
  selector: '#root',
  imports: [Form],
  changeDetection: ChangeDetectionStrategy.OnPush,
  template: `
    @if (shown()) {
      <task-form [task]="task()" />
      <ul>
        @for (task of list.value(); track task) {
          <li>{{ task.title }}</li>
        }
      </ul>
    }
  `,
})
export default class Loose {
  protected readonly task = signal(loose);
  protected readonly shown = signal(true);
  private readonly owner = signal<typeof tasks | typeof view>(tasks);
  protected readonly list = injectList(this.owner);

  constructor() {
    window.swap = () => {
      this.task.set(other);
      this.owner.set(view);
    };
    window.leave = () => this.shown.set(false);
  }
}
