// Which of two rings gives way when they merge: the smaller joins the larger.
//
// A ring whose list is whole has just those members; any other is larger than a list. Two large ones join each other,
// each position where it finds a closer successor. Two small ones of a size are told apart by their members' places, so
// that two different sets are never both the lesser, nor neither.

import type { Contact } from '../ring.ts'
import type { SuccessorList } from './successor-list.ts'

/** May our ring, as this list shows it, join theirs? */
export function isLesserRing(
  ours: SuccessorList,
  self: Contact,
  theirs: SuccessorList,
  member: Contact,
): boolean {
  // Alone, and counted in by them: they have joined us, and will say so themselves. If we joined them too, both would wait
  // to be given what only we own.
  if (ours.entries.length === 0 && theirs.entries.some(({ place }) => place === self.place)) return false
  if (!theirs.isWhole) return true
  if (!ours.isWhole) return false
  if (ours.entries.length !== theirs.entries.length) return ours.entries.length < theirs.entries.length
  return membersOf(theirs, member) < membersOf(ours, self)
}

function membersOf(list: SuccessorList, self: Contact): string {
  return [self, ...list.entries]
    .map(({ place }) => place)
    .sort()
    .join()
}
