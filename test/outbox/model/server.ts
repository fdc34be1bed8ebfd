import type { Answer, Job, Values, World } from './world.js';

/** The server carries a request out, or refuses it. */
export function serve(world: World, job: Job): Answer {
  const { server, withTags } = world;
  const { action, id, values, isRepeat, tag } = job;
  if (action === 'create') return create(world, job);
  const row = server.rows.find((each) => each.id === id);
  if (action === 'erase') {
    server.rows = server.rows.filter((each) => each !== row);
    return { row: null, id };
  }
  if (!row) return { refused: true };
  if (withTags && row.tag !== tag) {
    // A repeat whose values are there was done before.
    const isDone = isRepeat && Object.keys(values).every((name) => row.values[name] === values[name]);
    return isDone ? { row: row.values, id, tag: row.tag } : { outdated: true };
  }
  const overwritten = Object.keys(values).find((name) => {
    const there = row.values[name];
    return there?.startsWith('X') && there !== values[name] && there !== job.base[name];
  });
  // Without tags, nothing can prevent this.
  if (withTags && overwritten) world.broken = `the ${overwritten} that somebody else wrote was overwritten unasked`;
  row.values = { ...row.values, ...values };
  remember(world, values);
  if (withTags) row.tag += 1;
  return { row: row.values, id, tag: withTags && row.tag };
}

function create(world: World, { r, values, parentId }: Job): Answer {
  const { server } = world;
  const body = JSON.stringify([values, parentId]);
  const known = server.keys[r];
  if (world.withKeys && known) {
    if (known.body !== body) world.broken = 'a create was repeated with its key and another body';
    return { row: known.values, id: known.id, tag: 1 };
  }
  if (r === 'C' && !server.usedIds.includes(parentId as number))
    world.broken = `a child was sent with the id ${parentId} of its parent`;
  const id = server.nextId++;
  server.rows.push({ id, r, values, tag: 1 });
  server.usedIds.push(id);
  remember(world, values);
  if (world.withKeys) server.keys[r] = { body, values, id };
  return { row: values, id, tag: 1 };
}

/** Somebody else writes to a row, without an outbox. */
export function writeFromOutside(world: World, value: string): void {
  for (const row of world.server.rows) {
    row.values = { ...row.values, b: value };
    row.tag += 1;
  }
  world.outside = value;
  remember(world, { b: value });
}

function remember({ server }: World, values: Values): void {
  for (const value of Object.values(values)) if (!server.seen.includes(value)) server.seen.push(value);
}
