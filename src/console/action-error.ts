// What can be wrong with an action of the console.

import { errorFamily } from '../errors.ts'

export class ActionError extends errorFamily({
  'action-malformed': 'never',
  'action-unknown': 'never',
  'action-not-undoable': 'never',
  'action-superseded': 'never',
  'action-not-here': 'never',
  'site-not-movable': 'never',
}) {}
