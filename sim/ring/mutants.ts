// The rules of the ring with one of them broken, and those of 2001, to see that the checkers find each.

import { isBetween } from '../../src/network/ring/protocol/place.ts'
import { correctedRules, type Rules } from '../../src/network/ring/protocol/rules.ts'
import type { SuccessorList } from '../../src/network/ring/protocol/successor-list.ts'

/** As published in 2001: a newcomer knows one successor, and pointers are taken over unasked. (That a dead predecessor stays
 * for ever was put right soon after; with that, too, not even joining would go on for long.) */
export const rulesOf2001: Rules = {
  ...correctedRules,
  joinedList: (self, member, state, entriesMax) =>
    shortened(correctedRules.joinedList(self, member, state, entriesMax), 1),
  asksBetween: () => false,
}

export const mutants: Record<string, Partial<Rules>> = {
  'partial list on join': { joinedList: rulesOf2001.joinedList },
  'pointer adopted unasked': { asksBetween: () => false },
  'joins behind anybody': { fitsAfter: () => true },
  'newcomer forgets whom it came through': {
    // Where the member's list is everybody else, the member is next.
    joinedList: (self, member, state, entriesMax) => {
      const list = correctedRules.joinedList(self, member, state, entriesMax)
      const entries = list.entries.filter(({ place }) => place !== member.place)
      return entries.length === 0 ? list : { ...list, entries }
    },
  },
  'list not cut at ourselves': {
    followedList: (_, first, { successors }, entriesMax) => ({
      entries: [first, ...successors.entries].slice(0, entriesMax),
      isWhole: successors.isWhole,
    }),
  },
  'list grows without end': {
    followedList: (self, first, state) => correctedRules.followedList(self, first, state, 1_000),
  },
  'list always whole': {
    followedList: (...given) => ({ ...correctedRules.followedList(...given), isWhole: true }),
  },
  'list of the successor alone': {
    followedList: (_, first) => ({ entries: [first], isWhole: false }),
  },
  'padded with duplicates': {
    listAfterDeath: (self, list, dead) => {
      const rest = correctedRules.listAfterDeath(self, list, dead)
      const last = rest.entries.at(-1)
      return last === undefined ? rest : { ...rest, entries: [...rest.entries, last] }
    },
  },
  'dead successor put last': {
    listAfterDeath: (self, list, dead) => {
      const rest = correctedRules.listAfterDeath(self, list, dead)
      return { ...rest, entries: [...rest.entries, dead] }
    },
  },
  'list dropped with the dead': {
    listAfterDeath: (self, list, dead) => shortened(correctedRules.listAfterDeath(self, list, dead), 1),
  },
  'second successor dropped with the dead': {
    listAfterDeath: (_, list) => ({ ...list, entries: list.entries.slice(2) }),
  },
  'nobody comes between': { comesBetween: () => false },
  'between, the wrong way round': {
    comesBetween: (self, named, successor) => isBetween(successor.place, named.place, self.place),
  },
  'rectify without ping': { pingsPredecessor: () => false },
  'any predecessor is nearer': { isNearer: () => true },
  'no predecessor is nearer': { isNearer: () => false },
  'dead predecessor stays': { replacesDead: () => false },
  'successor is not told': { notifies: () => false },
  'owns without consent': { needsConsent: () => false },
  'takes over at once': { waitsForHeirs: () => false },
}

export function rulesOf(mutant: string): Rules {
  return { ...correctedRules, ...mutants[mutant] }
}

function shortened({ entries }: SuccessorList, length: number): SuccessorList {
  return { entries: entries.slice(0, length), isWhole: entries.length === 0 }
}
