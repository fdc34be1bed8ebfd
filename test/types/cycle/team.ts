import { Model, reference } from 'repose';
import { Person } from './person.js';
export class Team extends Model.define({ name: 'team', fields: { id: 'int', ownerId: reference('int') } }) {
  static override references() { return { ownerId: Person }; }
  get owner() { return Team.loadReference(this, 'ownerId'); }
}
