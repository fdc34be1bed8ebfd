import { ChangeDetectionStrategy, Component, computed, type Resource } from '@angular/core';
import { type ListSnapshot, Model, Store, viewOf } from 'repose';
import { injectList } from 'repose/angular';
import { Task, tasks } from '../tasks.js';

const view = viewOf(tasks);

const pages = new Store({ model: Task, pageSize: 2 });

/** A model that cannot be loaded. */
class Note extends Model.define({ fields: { id: 'int' } }) {}

/** Lists as resources: what they say about themselves, and a button that loads. */
@Component({
  selector: '#root',
  changeDetection: ChangeDetectionStrategy.OnPush,
  template: `
    <button type="button" (click)="list.reload()">Load</button>
    <input type="button" value="Try again" (click)="list.retry()" />
    <input type="button" value="More" (click)="paged.loadMore()" />
    <em>{{ paged.value().count }} {{ paged.error()?.code }}</em>
    <p role="status">{{ summary() }}</p>
    <p role="note">{{ viewSummary }}</p>
  `,
})
export default class ResourceScreen {
  protected readonly list = injectList(tasks);
  protected readonly paged = injectList(pages);
  private readonly resource: Resource<ListSnapshot<Task>> = this.list;
  protected readonly summary = computed(() => {
    const { value, status, error, isLoading, snapshot } = this.list;
    const has = this.resource.hasValue() ? 'value' : 'no value';
    const same = snapshot().status === status() ? '' : ', another status in the snapshot';
    return `${status()}, ${isLoading()}, ${has}, ${value().count}, ${error()?.code ?? 'no error'}${same}`;
  });
  protected readonly viewSummary: string;

  constructor() {
    const list = injectList(view);
    this.viewSummary = `${list.status()}, ${list.isLoading()}, ${list.hasValue()}, ${list.reload()}`;
    const wrong = injectList(new Store({ model: Note }));
    window.swap = () => void wrong.reload();
  }
}
