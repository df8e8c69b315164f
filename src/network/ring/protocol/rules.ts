// The rules of the corrected Chord protocol (P. Zave, "Reasoning about identifier spaces: how to make Chord correct"),
// each a small function without state, so that the simulator can put a wrong one in its place and see it caught.
//
// Why each is as it is:
// - A newcomer stands between a member and the member's first successor, and takes the member's *whole* list: with a
//   part of it, the deaths that the member survives would lose the newcomer.
// - A list is the first successor and what that one says follows it: pairs of neighbours in a list are thus always
//   pairs that somebody who stood there saw, and no lasting member is skipped.
// - What a successor names as its predecessor is asked before it is taken in: it may be dead, and its list is needed.
// - A predecessor gives way to a closer one at once, to a farther one only when it is dead.

import type { Contact } from '../ring.ts'
import { isBetween } from './place.ts'
import { listOfNewcomer, listThrough, listWithout, type SuccessorList } from './successor-list.ts'

/** What a position says of itself. */
export interface PositionState {
  predecessor: Contact
  successors: SuccessorList
}

export interface Rules {
  /** May we stand between this member and its first successor? */
  fitsAfter(self: Contact, member: Contact, state: PositionState): boolean
  joinedList(self: Contact, member: Contact, state: PositionState, entriesMax: number): SuccessorList
  /** Our list, when `first` follows us and says this of itself. */
  followedList(self: Contact, first: Contact, state: PositionState, entriesMax: number): SuccessorList
  /** The successor named this predecessor: is it to be taken between us? */
  comesBetween(self: Contact, named: Contact, successor: Contact): boolean
  /** Must the one between be asked first? The answer is yes. */
  asksBetween(): boolean
  listAfterDeath(self: Contact, list: SuccessorList, dead: Contact): SuccessorList
  /** Who says that it precedes us: is it nearer than whom we have? */
  isNearer(self: Contact, predecessor: Contact, newcomer: Contact): boolean
  /** Must the predecessor be found dead before a farther one takes its place? The answer is yes. */
  pingsPredecessor(): boolean
  /** May a farther one take the place of a predecessor that is dead? The answer is yes. */
  replacesDead(): boolean
  /** Does a position tell its successor of itself? The answer is yes, each time. */
  notifies(): boolean
  /** Do we own keys only with our successor's consent? The answer is yes. */
  needsConsent(): boolean
  /** Do we own back to a predecessor only when it has told us so itself? The answer is yes. */
  needsWord(): boolean
  /** Do we wait before we take over what a dead predecessor owned? The answer is yes. */
  waitsForHeirs(): boolean
}

export const correctedRules: Rules = {
  fitsAfter(self, member, { successors }) {
    const next = successors.entries[0] ?? member
    return isBetween(member.place, self.place, next.place)
  },
  joinedList: (self, member, { successors }, entriesMax) =>
    listOfNewcomer(self.place, member, successors, entriesMax),
  followedList: (self, first, { successors }, entriesMax) =>
    listThrough(self.place, first, successors, entriesMax),
  comesBetween: (self, named, successor) => isBetween(self.place, named.place, successor.place),
  asksBetween: () => true,
  listAfterDeath: (_, list, dead) => listWithout(list, dead.place),
  isNearer: (self, predecessor, newcomer) => isBetween(predecessor.place, newcomer.place, self.place),
  pingsPredecessor: () => true,
  replacesDead: () => true,
  notifies: () => true,
  needsConsent: () => true,
  needsWord: () => true,
  waitsForHeirs: () => true,
}
