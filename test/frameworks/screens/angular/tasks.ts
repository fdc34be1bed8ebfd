import { ChangeDetectionStrategy, Component, input } from '@angular/core';
import { injectField, injectList, injectRecord, injectStatus } from 'repose/angular';
import { counted } from '../renders.js';
import { activityOf, stateOf, type Task, tasks } from '../tasks.js';

tasks.load().catch(() => undefined);

@Component({
  selector: 'task-cell',
  changeDetection: ChangeDetectionStrategy.OnPush,
  template: `
    <input [attr.aria-label]="'Title ' + task().id" [value]="counted('cell', title().value)" (input)="edit($event)" />
    @for (issue of title().errors; track issue.message) {
      <em>{{ issue.message }}</em>
    }
  `,
})
export class Cell {
  readonly task = input.required<Task>();
  protected readonly title = injectField(this.task, 'title');
  protected readonly counted = counted;

  protected edit(event: Event): void {
    this.task().set('title', (event.target as HTMLInputElement).value);
  }
}

@Component({
  selector: 'task-state',
  changeDetection: ChangeDetectionStrategy.OnPush,
  template: `<span [attr.data-testid]="'state-' + task().id">{{ stateOf(state()) }}</span>`,
})
export class State {
  readonly task = input.required<Task>();
  protected readonly state = injectRecord(this.task);
  protected readonly stateOf = stateOf;
}

@Component({
  selector: 'task-row',
  imports: [Cell, State],
  changeDetection: ChangeDetectionStrategy.OnPush,
  template: `
    <li [attr.data-id]="counted('row', task().id)">
      <task-cell [task]="task()" />
      <task-state [task]="task()" />
    </li>
  `,
})
export class Row {
  readonly task = input.required<Task>();
  protected readonly counted = counted;
}

@Component({
  selector: 'task-activity',
  changeDetection: ChangeDetectionStrategy.OnPush,
  template: `<p role="status">{{ activityOf(status()) }}</p>`,
})
export class Activity {
  protected readonly status = injectStatus(tasks);
  protected readonly activityOf = activityOf;
}

/** All tasks, with an input each. */
@Component({
  selector: '#root',
  imports: [Activity, Row],
  changeDetection: ChangeDetectionStrategy.OnPush,
  template: `
    <task-activity />
    <ul [attr.data-count]="counted('grid', list.value().count)">
      @for (task of list.value(); track task.$.key) {
        <task-row [task]="task" />
      }
    </ul>
  `,
})
export default class Tasks {
  protected readonly list = injectList(tasks);
  protected readonly counted = counted;
}
