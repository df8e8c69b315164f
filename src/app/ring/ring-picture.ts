// The ring as a picture for browsers: a circle with every position where it lies, each peer in a colour of its own.
//
// Key 0 is at the top, and keys grow clockwise, as in the terminal. What others named (networks, peers) is escaped. A very
// large ring is thinned out, but for our own positions.

import { hash } from 'node:crypto'
import type { RingPeerView } from './ring-peer.ts'

type Known = RingPeerView['known'][number]

const size = 400
const centre = size / 2
const radius = 150
const drawnMax = 720
const leadingDigits = 12

export function ringPicture({ known, network, isWhole, sizeEstimate, neighbours }: RingPeerView): string {
  const peers = new Set(known.map(({ contact }) => contact.peer))
  const silent = new Set(neighbours.filter(({ state }) => state === 'silent').map(({ peer }) => peer))
  const positions = isWhole ? `${known.length}` : `about ${Math.round(sizeEstimate)}`
  const step = Math.ceil(known.length / drawnMax)
  const drawn = known.filter(({ isOurs }, index) => isOurs || index % step === 0)
  const lines = [network.name, counted(positions, 'position'), counted(`${peers.size}`, 'peer')]
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" role="img">
<style>text{font:16px system-ui,sans-serif;text-anchor:middle;fill:#333}.ring{fill:none;stroke:#8884;stroke-width:14}.ours{stroke:#333;stroke-width:3}@media(prefers-color-scheme:dark){text{fill:#ddd}.ours{stroke:#eee}}</style>
<circle class="ring" cx="${centre}" cy="${centre}" r="${radius}"/>
${drawn.map((position) => arcOf(position, silent)).join('\n')}
${drawn.map((position) => dotOf(position, silent)).join('\n')}
${lines.map((line, index) => `<text x="${centre}" y="${centre - 18 + 24 * index}">${escaped(line.slice(0, 30))}</text>`).join('\n')}
</svg>
`
}

/** What the position owns: from the one before up to it. */
function arcOf({ contact, share }: Known, silent: ReadonlySet<string>): string {
  const circumference = 2 * Math.PI * radius
  const length = (share * circumference).toFixed(2)
  const turn = ((turnOf(contact.place) - share) * 360 - 90).toFixed(3)
  const colour = colourOf(contact.peer, silent.has(contact.peer) ? 0.25 : 0.7)
  return `<circle cx="${centre}" cy="${centre}" r="${radius}" fill="none" stroke="${colour}" stroke-width="14" stroke-dasharray="${length} ${circumference.toFixed(2)}" transform="rotate(${turn} ${centre} ${centre})"/>`
}

function dotOf({ contact, share, isOurs }: Known, silent: ReadonlySet<string>): string {
  const angle = turnOf(contact.place) * 2 * Math.PI
  const [x, y] = [centre + Math.sin(angle) * radius, centre - Math.cos(angle) * radius]
  const told = `${contact.peer} ${contact.place} ${(share * 100).toFixed(2)} %${silent.has(contact.peer) ? ' silent' : ''}`
  return `<circle cx="${x.toFixed(2)}" cy="${y.toFixed(2)}" r="${isOurs ? 11 : 8}"${isOurs ? ' class="ours"' : ''} fill="${colourOf(contact.peer, 1)}"><title>${escaped(told)}</title></circle>`
}

function turnOf(place: string): number {
  return Number.parseInt(place.slice(0, leadingDigits), 16) / 16 ** leadingDigits
}

/** The same for a peer wherever it is looked at. */
function colourOf(peer: string, opacity: number): string {
  const hue = Number.parseInt(hash('sha256', peer, 'hex').slice(0, 4), 16) % 360
  return `hsl(${hue} 60% 50% / ${opacity})`
}

function counted(number: string, noun: string): string {
  return `${number} ${noun}${number === '1' ? '' : 's'}`
}

function escaped(text: string): string {
  return text
    .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
    .replace(/\p{Cc}/gu, '\ufffd')
}
