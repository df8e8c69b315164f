// Successor list: the next positions clockwise from ours.
//
// Invariants: in the order of the ring from us, no duplicates, never ourselves, at most so many. `isWhole` says that
// after the last comes ourselves again: the list is everyone else, as in rings smaller than the list. A list that is
// neither full nor whole has lost its dead and not been filled up yet; nothing is made up to pad it, since what is made
// up is a duplicate of somebody or a member that does not exist. (P. Zave pads with a place next to the last, which nobody
// has: to the same effect.)

import type { RingKey } from '../../../model/ring-key.ts'
import type { Contact } from '../ring.ts'
import { isBetween } from './place.ts'

export interface SuccessorList {
  readonly entries: readonly Contact[]
  readonly isWhole: boolean
}

/** That of a position alone on its ring. */
export const nobodyElse: SuccessorList = { entries: [], isWhole: true }

/** Our list when `first` follows us and `rest` follows it: it, and what it knows, up to where that comes round to us. */
export function listThrough(
  self: RingKey,
  first: Contact,
  rest: SuccessorList,
  entriesMax: number,
): SuccessorList {
  const entries = [first]
  let last = first.place
  for (const contact of rest.entries) {
    if (!isBetween(last, contact.place, self)) return cut(entries, true, entriesMax)
    entries.push(contact)
    last = contact.place
  }
  return cut(entries, rest.isWhole, entriesMax)
}

/** A newcomer's list: all of `member`'s, before whose first it stands. */
export function listOfNewcomer(
  self: RingKey,
  member: Contact,
  list: SuccessorList,
  entriesMax: number,
): SuccessorList {
  const [first, ...others] = list.entries
  if (first === undefined) return { entries: [member], isWhole: true }
  // Where the member's list is everybody else, the member itself is next.
  const entries = list.isWhole ? [...others, member] : others
  return listThrough(self, first, { entries, isWhole: list.isWhole }, entriesMax)
}

/** Without one that died or left. */
export function listWithout(list: SuccessorList, place: RingKey): SuccessorList {
  const entries = list.entries.filter((contact) => contact.place !== place)
  // When all are gone, nobody is left that we know of.
  return { entries, isWhole: list.isWhole || entries.length === 0 }
}

/** Whether this list could be that of an honest position there. */
export function isOrderly(self: RingKey, list: SuccessorList): boolean {
  let last = self
  for (const { place } of list.entries) {
    if (!isBetween(last, place, self)) return false
    last = place
  }
  return true
}

export function isSameList(a: SuccessorList, b: SuccessorList): boolean {
  if (a.isWhole !== b.isWhole || a.entries.length !== b.entries.length) return false
  return a.entries.every((one, index) => {
    const other = b.entries[index]!
    return one === other || (one.place === other.place && one.address === other.address)
  })
}

function cut(entries: Contact[], isWhole: boolean, entriesMax: number): SuccessorList {
  if (entries.length <= entriesMax) return { entries, isWhole }
  return { entries: entries.slice(0, entriesMax), isWhole: false }
}
