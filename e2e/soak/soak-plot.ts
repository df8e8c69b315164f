// Draws what a soak sampled: memory, descriptors, disk and the lateness of the event loop, a line for each peer. Readable on light and on
// dark ground.

import { delayOf, type Sample } from './soak-figures.ts'

interface Panel {
  readonly title: string
  /** Of a peer at a moment, `before` being the moment before. */
  value(sample: Sample, before: Sample): number
  readonly unit: string
}

const panels: readonly Panel[] = [
  { title: 'Memory of its own', unit: 'MB', value: ({ ownBytes }) => ownBytes / 1e6 },
  { title: 'Open descriptors', unit: '', value: ({ descriptors }) => descriptors },
  { title: 'Disk', unit: 'MB', value: ({ diskBytes }) => diskBytes / 1e6 },
  {
    title: 'Event loop late by, p99.9 of each minute',
    unit: 'ms',
    value: ({ delays }, before) => delayOf(before.delays, delays, 0.999) * 1e3,
  },
]
const [width, height, across] = [380, 150, 460]
const [left, top, down] = [50, 40, 220]
const colours = ['#2b7bd6', '#d97706', '#3c9d5b', '#b04fc9', '#c0392b']
const everySeconds = 60

export function drawSoak(samples: readonly Sample[]): string {
  const peers = [...new Set(samples.map(({ peer }) => peer))]
  const rows = peers.map((peer) =>
    samples.filter((sample) => sample.peer === peer && sample.seconds % everySeconds === 0),
  )
  const legend = peers.map(
    (peer, index) =>
      `<tspan fill="${colours[index % colours.length]}" dx="${index === 0 ? 0 : 12}">${peer}</tspan>`,
  )
  const drawn = panels.map((panel, index) => draw(panel, rows, index))
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 ${top + 2 * down}" font-family="sans-serif" font-size="13" fill="#777">
<title>Three peers on a web that changes all the time</title>
<text x="${left}" y="18">${legend.join('')}</text>
${drawn.join('\n')}
</svg>
`
}

function draw({ title, unit, value }: Panel, rows: readonly Sample[][], index: number): string {
  const x0 = left + (index % 2) * across
  const y0 = top + 20 + Math.floor(index / 2) * down
  const curves = rows.map((row) =>
    row.slice(1).map((sample, before) => [sample.seconds, value(sample, row[before]!)] as const),
  )
  const end = Math.max(...curves.flat().map(([seconds]) => seconds))
  const most = rounded(Math.max(...curves.flat().map(([, amount]) => amount)))
  const x = (seconds: number) => (x0 + (seconds / end) * width).toFixed(1)
  const y = (amount: number) => (y0 + height - (amount / most) * height).toFixed(1)
  const lines = curves.map((curve, peer) => {
    const points = curve.map(([seconds, amount]) => `${x(seconds)},${y(amount)}`).join(' ')
    return `<polyline points="${points}" fill="none" stroke="${colours[peer % colours.length]}" stroke-width="1.5"/>`
  })
  const marks = [0, most / 2, most].map(
    (amount) => `<text x="${x0 - 6}" y="${Number(y(amount)) + 4}" text-anchor="end">${round(amount)}</text>`,
  )
  return `<text x="${x0}" y="${y0 - 8}">${title}${unit === '' ? '' : `, ${unit}`}</text>
<path d="M${x0} ${y0}h${width}v${height}h${-width}zM${x0} ${y0 + height / 2}h${width}" fill="none" stroke="#999" stroke-opacity=".5"/>
${lines.join('\n')}
${marks.join('')}<text x="${x0}" y="${y0 + height + 16}">0</text><text x="${x0 + width}" y="${y0 + height + 16}" text-anchor="end">${Math.round(end / 60)} min</text>`
}

/** The next number with one digit, or with one and a half. */
function rounded(most: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(most, 1e-9)))
  return [1, 1.5, 2, 3, 4, 5, 6, 8, 10].map((digit) => digit * power).find((bound) => bound >= most)!
}

function round(amount: number): number {
  return Number(amount.toPrecision(3))
}
