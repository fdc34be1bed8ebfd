import { useSyncExternalStore } from 'react';
import { useList, useStatus } from 'repose/react';
import type { TreeNode } from 'repose/tree';
import { type Folder, toggle, tree } from '../folders.js';
import { useCounted } from './use-counted.js';

function Row({ node }: { node: TreeNode<Folder> }) {
  useCounted('row');
  const { depth, expanded, leaf, loading, error, checked } = useSyncExternalStore(node.state.subscribe, node.state.get);
  const { record } = node;
  return (
    <div
      role="treeitem"
      tabIndex={-1}
      aria-level={depth + 1}
      aria-expanded={leaf ? undefined : expanded}
      aria-busy={loading}
      title={error?.code}
    >
      <button type="button" onClick={() => toggle(record)}>
        {record.name}
      </button>
      <input
        type="checkbox"
        aria-label={`Check ${record.name}`}
        checked={checked === 'all'}
        onChange={(event) => tree.check(record, event.target.checked)}
      />
    </div>
  );
}

/** The visible folders of a tree. */
export default function Tree() {
  const list = useList(tree);
  const { loading } = useStatus(tree);
  return (
    <div role="tree" aria-busy={loading}>
      {list.slice().map((folder) => {
        const node = tree.nodeOf(folder);
        return node && <Row key={folder.$.key} node={node} />;
      })}
    </div>
  );
}
