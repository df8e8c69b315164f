// The ring as it looks from one peer, for drawing.

import type { PeerId } from '../../platform/network/network.ts'
import type { RoutingTable } from './lookup/routing-table.ts'
import type { Neighbours } from './neighbours.ts'
import type { Position } from './position.ts'
import { arcBetween } from './protocol/place.ts'
import type { Contact, PositionView, RingView } from './ring.ts'

export function ringView(
  peer: PeerId,
  positions: readonly Position[],
  routes: RoutingTable,
  neighbours: Neighbours,
): RingView {
  const views = positions.map(positionView)
  const isWhole = views.some(({ status, isWhole }) => status === 'member' && isWhole)
  return {
    peer,
    positions: views,
    known: arcsOf(isWhole ? membersOf(views, positions) : allKnown(positions, routes), peer),
    isWhole,
    sizeEstimate: routes.sizeEstimate(),
    neighbours: neighbours.view(),
  }
}

function positionView({ machine }: Position): PositionView {
  const { self, status, predecessor, successors } = machine
  return {
    place: self.place,
    index: self.index,
    status,
    share: machine.isAlone ? 1 : arcBetween(predecessor.place, self.place),
    predecessor,
    successors: [...successors.entries],
    isWhole: successors.isWhole,
  }
}

/** Everybody on a ring of which some list of ours is the whole. */
function membersOf(views: PositionView[], positions: readonly Position[]): Contact[] {
  const whole = views.findIndex(({ status, isWhole }) => status === 'member' && isWhole)
  return [positions[whole]!.machine.self, ...views[whole]!.successors]
}

function allKnown(positions: readonly Position[], routes: RoutingTable): Contact[] {
  const members = positions.map(({ machine }) => machine).filter(({ status }) => status === 'member')
  return [...routes.cache.all(), ...members.flatMap(({ self, successors }) => [self, ...successors.entries])]
}

function arcsOf(contacts: Contact[], peer: PeerId): RingView['known'] {
  const known = [...new Map(contacts.map((contact) => [contact.place, contact])).values()]
  known.sort((a, b) => (a.place < b.place ? -1 : 1))
  return known.map((contact, index) => {
    const before = known[(index - 1 + known.length) % known.length]!
    const share = known.length === 1 ? 1 : arcBetween(before.place, contact.place)
    return { contact, share, isOurs: contact.peer === peer }
  })
}
