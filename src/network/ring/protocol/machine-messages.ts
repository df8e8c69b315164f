// What happens to a position, and what it wants done about it.

import type { Contact } from '../ring.ts'
import type { PositionState } from './rules.ts'

export type RingEvent =
  /** Begin a ring of one. */
  | { kind: 'create' }
  /** Join, or merge with another ring, right after this member. */
  | { kind: 'enter-after'; member: Contact }
  /** This member of what may be another ring stands between us and our successor, it says. */
  | { kind: 'hinted'; by: Contact }
  | { kind: 'tick' }
  /** The answer to an `ask`. */
  | { kind: 'answered'; serial: number; state: PositionState }
  /** An `ask` got no answer: the other is taken for dead. */
  | { kind: 'failed'; serial: number }
  | { kind: 'pinged'; serial: number; isAlive: boolean }
  | { kind: 'notified'; by: Contact }
  /** The predecessor has not been heard of for a while. */
  | { kind: 'silence' }
  | { kind: 'farewell'; by: Contact }
  | { kind: 'leave' }

export type RingEffect =
  /** Ask for the other's state; with `notify`, say at the same time that we may be its predecessor. With `isBrief`, one that
   * does not answer at once is as good as dead: nothing is lost but a round. */
  | { kind: 'ask'; serial: number; to: Contact; notify: boolean; isBrief: boolean }
  | { kind: 'ping'; serial: number; to: Contact }
  | { kind: 'notify'; to: Contact }
  /** Our list has changed: who precedes us may want to know. */
  | { kind: 'poke'; to: Contact }
  | { kind: 'farewell'; to: Contact }
  /** Send a tick soon. */
  | { kind: 'hurry' }
  /** The other stands right before us and does not know it. */
  | { kind: 'hint'; to: Contact }
  /** The member does not stand right before us: try another. */
  | { kind: 'misplaced'; member: Contact; state: PositionState }
  /** `enter-after` got no answer. */
  | { kind: 'unanswered'; member: Contact }
  | { kind: 'joined' }
  /** The successor agreed that we precede it. */
  | { kind: 'confirmed'; serial: number }
  /** Another predecessor. */
  | { kind: 'preceded'; before: Contact; after: Contact }
  | { kind: 'changed' }
