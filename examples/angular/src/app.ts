import { ChangeDetectionStrategy, Component, computed, input, signal } from '@angular/core';
import { injectField, injectList, injectRecord, injectStatus } from 'repose/angular';
import { type Task, tasks } from './tasks';

@Component({
  selector: 'li[task]',
  changeDetection: ChangeDetectionStrategy.OnPush,
  template: `
    <input type="checkbox" aria-label="Done" [checked]="done().value" (change)="task().done = $any($event.target).checked" />
    <input
      aria-label="Title"
      [attr.aria-invalid]="title().errors.length > 0"
      [value]="title().value"
      (input)="task().title = $any($event.target).value"
    />
    @for (issue of title().errors; track issue.message) {
      <em>{{ issue.message }}</em>
    }
    <button type="button" [disabled]="state().saving || !(state().dirty || state().phantom)" (click)="state().save()">Save</button>
    <button type="button" [disabled]="!state().dirty" (click)="state().reject()">Undo</button>
    <button type="button" [disabled]="state().saving" (click)="state().erase()">Remove</button>
    <span>{{ state().saving ? 'saving' : state().phantom ? 'new' : state().dirty ? 'edited' : 'saved' }}</span>
    @if (!state().errors.title && state().error; as error) {
      <strong>{{ error.userMessage }}</strong>
    }
  `,
})
export class TaskRow {
  readonly task = input.required<Task>();
  protected readonly title = injectField(this.task, 'title');
  protected readonly done = injectField(this.task, 'done');
  protected readonly state = injectRecord(this.task);
}

@Component({
  selector: '#root',
  imports: [TaskRow],
  changeDetection: ChangeDetectionStrategy.OnPush,
  template: `
    <label>
      Order
      <select (change)="sort($any($event.target).value)">
        <option value="title">by title</option>
        <option value="id">oldest first</option>
      </select>
    </label>
    <label><input type="checkbox" (change)="filter($any($event.target).checked)" /> Open tasks only</label>
    <form (submit)="add($event, newTitle)">
      <input #newTitle aria-label="New task" />
      <button type="submit">Add</button>
    </form>

    <p role="status">{{ activity() }}</p>
    @if (list.error(); as error) {
      <p role="alert">
        {{ error.userMessage }}
        <button type="button" (click)="list.retry()">Try again</button>
      </p>
    }

    <ul>
      @for (task of list.value(); track task.$.key) {
        <li [task]="task"></li>
      }
    </ul>

    <button type="button" [disabled]="page() === 1" (click)="show(page() - 1)">Previous</button>
    Page {{ page() }}
    <button type="button" [disabled]="isLastPage()" (click)="show(page() + 1)">Next</button>
  `,
})
export class App {
  protected readonly list = injectList(tasks);
  protected readonly status = injectStatus(tasks);
  protected readonly page = signal(1);
  protected readonly isLastPage = computed(() => this.page() * tasks.pageSize >= (this.status().total ?? 0));
  protected readonly activity = computed(() => {
    const { loading, saving, total, pending } = this.status();
    return loading ? 'Loading' : saving ? 'Saving' : `${total} tasks, ${pending} to save`;
  });

  protected sort(order: 'title' | 'id'): void {
    tasks.sort(order);
    this.page.set(1);
  }

  protected filter(openOnly: boolean): void {
    if (openOnly) tasks.filter({ property: 'done', value: false });
    else tasks.filter([]);
    this.page.set(1);
  }

  protected show(page: number): void {
    this.page.set(page);
    void this.list.loadPage(page);
  }

  protected add(event: Event, newTitle: HTMLInputElement): void {
    event.preventDefault();
    tasks.insert(0, { title: newTitle.value });
    newTitle.value = '';
  }
}
