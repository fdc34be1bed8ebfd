export const rules = [
  {
    kind: 'getter',
    name: 'fields',
    of: ['model/infer.ts', 'model/base-model.ts'],
    to: 'fieldsOf',
    entry: 'repose',
    receiver: /^(User|Member|Order|Customer|Product|Line|Model)$/,
  },
];
