// An attack: one thing that a hostile member, stranger or neighbour tries, and what must still be true afterwards.

import type { Stage } from './stage.ts'

export interface Attack {
  /** Its row in docs/security.md. */
  readonly name: string
  readonly tries: string
  /** Resolves when everything has been tried. Gives the harm that it saw itself, in sentences; what every attack must leave
   * alone (see stage.ts) is looked at afterwards. */
  run(stage: Stage): Promise<readonly string[]>
}

/** How much of it: `short` in the tests, `full` as the issue of docs/security.md has it. */
export type Size = 'short' | 'full'
