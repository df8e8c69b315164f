// `polyhistor ring`: the ring as the running peer knows it, as a picture and a table.

import type { RingPeerView } from '../../../app/ring/ring-peer.ts'
import { counted } from '../../../model/peer-status.ts'
import type { Context } from '../../context.ts'
import { drawRing, letterOf } from '../../output/ring-drawing.ts'
import { formatTable } from '../../output/table.ts'
import { askPeer } from '../../peer/ring-question.ts'

/** Of a large ring only the neighbourhood is shown. */
const rowsMax = 64
const keyDigits = 12
const leadingDigits = 12

export async function showRing(context: Context): Promise<undefined> {
  const { terminal, isJson } = context
  const view = await askPeer<RingPeerView>(context, '/api/v1/ring')
  if (isJson) await terminal.printJson(view)
  else await terminal.printLine(ringText(view, terminal.width))
  return undefined
}

export function ringText(view: RingPeerView, width: number): string {
  const { known, peer, isWhole, sizeEstimate, network, addresses } = view
  const letterByPeer = new Map<string, string>()
  for (const { contact } of known) {
    if (!letterByPeer.has(contact.peer)) letterByPeer.set(contact.peer, letterOf(letterByPeer.size))
  }
  const drawn = known.map(({ contact }) => ({
    turn: turnOf(contact.place),
    letter: letterByPeer.get(contact.peer)!,
  }))
  const size = `${isWhole ? '' : 'about '}${counted(isWhole ? known.length : Math.round(sizeEstimate), 'position')}`
  const caption = [network.name || 'no network', size, counted(letterByPeer.size, 'peer')]
  const picture = drawRing(
    drawn,
    caption.map((line) => line.slice(0, 24)),
  )
  const table = formatTable(
    ['', 'position', 'arc', 'peer', 'state', 'round trip', 'clock', 'address'],
    rowsOf(view, letterByPeer),
    width,
  )
  const more = known.length > rowsMax ? `\n… and ${known.length - rowsMax} more; --json has them all` : ''
  const us = `This peer is ${letterByPeer.get(peer) ?? '?'}: ${peer}${addresses.length > 0 ? `\nat ${addresses.join('\n   ')}` : ''}`
  return `${picture}\n\n${us}\n\n${table}${more}`
}

function rowsOf(view: RingPeerView, letterByPeer: ReadonlyMap<string, string>): string[][] {
  const neighbours = new Map(view.neighbours.map((neighbour) => [neighbour.peer, neighbour]))
  const statuses = new Map(view.positions.map(({ place, status }) => [place, status]))
  return shown(view).map(({ contact, share, isOurs }) => {
    const neighbour = neighbours.get(contact.peer)
    const state = isOurs ? (statuses.get(contact.place) ?? '') : (neighbour?.state ?? 'heard of')
    return [
      letterByPeer.get(contact.peer)!,
      contact.place.slice(0, keyDigits),
      `${(share * 100).toFixed(2)} %`,
      isOurs ? `${shortPeer(contact.peer)} (us)` : shortPeer(contact.peer),
      state,
      isOurs ? '' : milliseconds(neighbour?.roundTripMs),
      isOurs ? '' : offset(neighbour?.clockOffsetMs),
      contact.address,
    ]
  })
}

function shown({ known }: RingPeerView): RingPeerView['known'] {
  if (known.length <= rowsMax) return known
  const ours = Math.max(0, known.findIndex(({ isOurs }) => isOurs) - rowsMax / 2)
  return [...known, ...known].slice(ours, ours + rowsMax)
}

function turnOf(place: string): number {
  return Number.parseInt(place.slice(0, leadingDigits), 16) / 16 ** leadingDigits
}

/** All names begin alike. */
function shortPeer(peer: string): string {
  return `…${peer.slice(-8)}`
}

function milliseconds(value: number | null | undefined): string {
  return value === undefined || value === null ? '' : `${value.toFixed(1)} ms`
}

function offset(value: number | null | undefined): string {
  return value === undefined || value === null ? '' : `${value >= 0 ? '+' : ''}${value.toFixed(0)} ms`
}
