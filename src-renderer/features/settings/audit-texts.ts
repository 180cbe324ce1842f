export const audit = {
  title: 'Activity log',
  about: 'What the owner and keys changed and ran. Entries are deleted after 90 days.',
  none: 'No entries',
  noneHow: 'Changes of settings, keys, jobs, models and webhooks appear here.',
  more: 'Show more',
  kind: 'Kind of entry',
  kinds: { change: 'Changes', run: 'Runs', refused: 'Refused' },
  columns: { at: 'Time', who: 'By', what: 'Request', target: 'Target', outcome: 'Answer' },
  owner: 'Owner',
};
