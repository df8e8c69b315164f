// `node scripts/draw-limits.ts [SECONDS]`: measures what a volunteer's limits let through on this machine, with real sockets and real
// processor time, and draws it into docs/images/volunteer-limits.svg. Tells the worst ten seconds of each.
//
// Down: bodies from a server of our own. Up: parts of answers as they are given out for sending. Processor: pages of made-up work.

import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fetchLimits } from '../src/crawl/fetch/limits.ts'
import { parseUrl } from '../src/model/url/url.ts'
import { RealClock } from '../src/platform/real/clock.ts'
import { RealDisk } from '../src/platform/real/disk/disk.ts'
import { RealRandom } from '../src/platform/real/random.ts'
import { startWeb } from '../src/platform/real/web/web.ts'
import { OwnedLimits, ownerLimitsDefault } from '../src/volunteer/owner-limits.ts'

const seconds = Number(process.argv[2] ?? 20)
const windowSeconds = 10
const limitsOf = { up: 300_000, down: 500_000, cpu: 0.05 }
const never = new AbortController().signal
const clock = new RealClock()
const cpuMs = () => (process.cpuUsage().user + process.cpuUsage().system) / 1_000
const machine = {
  ...{ cpuMs, memoryBytes: () => 0, othersPerCore: () => 0, isOnBattery: () => false, hour: () => 12 },
}

/** What had passed, and when. */
type Curve = readonly { readonly atMs: number; readonly amount: number }[]

async function measured(step: () => Promise<number>, start = 0): Promise<Curve> {
  const startMs = clock.monotonicMs()
  const curve = [{ atMs: 0, amount: start }]
  let amount = start
  while (clock.monotonicMs() - startMs < seconds * 1_000) {
    amount += await step()
    curve.push({ atMs: clock.monotonicMs() - startMs, amount })
  }
  return curve
}

async function down(): Promise<Curve> {
  const limits = new OwnedLimits({ clock, machine }, { ...ownerLimitsDefault, down: limitsOf.down })
  const server = createServer((_request, response) => response.end(Buffer.alloc(4_000_000)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const folder = await mkdtemp(join(tmpdir(), 'limits-'))
  let amount = 0
  let isOver = false
  const web = await startWeb(
    { clock, random: new RealRandom(), disk: new RealDisk() },
    {
      spoolFolder: folder,
      memoryBytesMax: 8_000_000,
      connectionsMax: 8,
      received: (bytes) => {
        amount += bytes
        return limits.received(bytes)
      },
    },
  )
  const url = parseUrl(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  const fetching = (async () => {
    while (!isOver)
      await web.fetch({ url, headers: [], limits: fetchLimits, allow: { refusal: () => undefined } })
  })()
  let told = 0
  const curve = await measured(async () => {
    await clock.sleep(50)
    const more = amount - told
    told = amount
    return more
  })
  isOver = true
  await web.close()
  await fetching.catch(() => {})
  server.closeAllConnections()
  server.close()
  await rm(folder, { recursive: true })
  return curve
}

async function up(): Promise<Curve> {
  const limits = new OwnedLimits({ clock, machine }, { ...ownerLimitsDefault, up: limitsOf.up })
  return measured(async () => {
    await limits.sending(limits.partBytes, never)
    return limits.partBytes
  })
}

async function cpu(): Promise<Curve> {
  const limits = new OwnedLimits({ clock, machine }, { ...ownerLimitsDefault, cpu: limitsOf.cpu })
  const page = Buffer.alloc(1_000_000)
  let before = cpuMs()
  return measured(async () => {
    await limits.ready(never)
    createHash('sha256').update(page).digest()
    const now = cpuMs()
    const used = now - before
    before = now
    return used
  })
}

/** The most that passed in any ten seconds, beside what may; a tenth of a second's worth may be saved up before. */
function worstOf(curve: Curve, perSecond: number): number {
  let [most, from] = [0, 0]
  for (const { atMs, amount } of curve) {
    while (atMs - curve[from]!.atMs > windowSeconds * 1_000) from++
    most = Math.max(most, amount - curve[from]!.amount)
  }
  return most / (perSecond * windowSeconds)
}

function panel(title: string, curve: Curve, perSecond: number, left: number): string {
  const [width, height] = [240, 150]
  const top = perSecond * seconds * 1.1
  const x = (atMs: number) => left + (atMs / (seconds * 1_000)) * width
  const y = (amount: number) => 40 + height - (amount / top) * height
  const points = curve.map(({ atMs, amount }) => `${x(atMs).toFixed(1)},${y(amount).toFixed(1)}`).join(' ')
  return `<text x="${left}" y="24">${title}</text>
<rect x="${left}" y="40" width="${width}" height="${height}" fill="none" stroke="#999"/>
<line x1="${x(0)}" y1="${y(0)}" x2="${x(seconds * 1_000)}" y2="${y(perSecond * seconds)}" stroke="#c60" stroke-dasharray="4 3"/>
<polyline points="${points}" fill="none" stroke="#06c" stroke-width="1.5"/>
<text x="${left}" y="208">0 s</text><text x="${left + width}" y="208" text-anchor="end">${seconds} s</text>`
}

const curves = [
  { name: 'down', title: '--down 500kB', curve: await down(), perSecond: limitsOf.down },
  { name: 'up', title: '--up 300kB', curve: await up(), perSecond: limitsOf.up },
  { name: 'cpu', title: '--cpu 5%', curve: await cpu(), perSecond: limitsOf.cpu * 1_000 },
]
const panels = curves.map(({ title, curve, perSecond }, index) =>
  panel(title, curve, perSecond, 20 + index * 270),
)
const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 820 220" font-family="sans-serif" font-size="13" fill="#555">
<title>What passed (solid) beside what may (dashed)</title>
${panels.join('\n')}
</svg>
`
await writeFile(new URL('../docs/images/volunteer-limits.svg', import.meta.url), svg)
for (const { name, curve, perSecond } of curves) {
  const whole = curve.at(-1)!.amount / (perSecond * (curve.at(-1)!.atMs / 1_000))
  console.log(
    `${name}: worst ten seconds ${worstOf(curve, perSecond).toFixed(3)} of the limit, all ${whole.toFixed(3)}`,
  )
}
console.log(`load ${loadavg()[0]!.toFixed(1)}`)
