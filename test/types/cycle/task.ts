import { Model, reference } from 'repose';
import { Team } from './team.js';
export class Task extends Model.define({ name: 'task', fields: { id: 'int', teamId: reference('int'), parentId: reference('int') } }) {
  static override references() { return { teamId: Team, parentId: Task }; }
  get team() { return Task.loadReference(this, 'teamId'); }
}
const task: Task = await Task.load(1);
const name: number | undefined = (await (await (await task.team)?.owner)?.task)?.parentId;
const parent: Task | undefined = await Task.loadReference(task, 'parentId'); void name; void parent;
