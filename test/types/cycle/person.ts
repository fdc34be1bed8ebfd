import { Model, Store, reference } from 'repose';
import { Task } from './task.js';
export class Person extends Model.define({ name: 'person', fields: { id: 'int', taskId: reference('int') } }) {
  static override references() { return { taskId: Task }; }
  get task() { return Person.loadReference(this, 'taskId'); }
  tasks() { return new Store({ model: Task, filters: [{ property: 'teamId', value: this.id }] }); }
}
