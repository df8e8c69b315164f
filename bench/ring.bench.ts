// `npm run bench -- ring [places|hops|upkeep|churn|heal] [largest]`: the ring in the simulator, with the real code. Peers are 5 to 50
// ms apart, lists are 16 long, a round of stabilising is a second. `largest` is the largest ring whose hops are counted
// (20,000 unless told).

import { printTable } from './measure.ts'
import { measureChurn } from './ring/churn.ts'
import { measureHealing } from './ring/heal.ts'
import { measureHops } from './ring/hops.ts'
import { measurePlaces } from './ring/places.ts'
import { measureUpkeep } from './ring/upkeep.ts'

const sizes = [16, 64, 256, 1_024, 4_096, 20_000]
const churnPeers = 128
const churnMinutes = 10
/** S. Rhea and others, "Handling churn in a DHT", 2004: what Bamboo's upkeep costs a node. */
const bambooBytesPerSecond = 900

export async function run(words: string[]): Promise<void> {
  const [part, largest = '20000'] = words
  const isWanted = (name: string): boolean => part === undefined || part === name
  if (isWanted('places')) await showPlaces()
  if (isWanted('hops')) await showHops(Number(largest))
  if (isWanted('upkeep')) await showUpkeep()
  if (isWanted('churn')) await showChurn()
  if (isWanted('heal')) await showHealing()
}

async function showPlaces(): Promise<void> {
  const measured = await measurePlaces()
  const rows = measured.map(({ name, perSecond }) => [
    name,
    (perSecond / 1e6).toFixed(1),
    (perSecond / measured[0]!.perSecond).toFixed(2),
  ])
  print('Is a place between two others?', ['as', 'million/s', '× ours'], rows)
}

async function showHops(largest: number): Promise<void> {
  const rows: string[][] = []
  for (const positions of sizes.filter((size) => size <= largest)) {
    const startMicros = process.cpuUsage().user
    const { cold, coldMost, warm, wrong, changes, isIdeal } = await measureHops(positions)
    const goal = 0.5 * Math.log2(positions) + 1
    rows.push([
      String(positions),
      cold.toFixed(2),
      goal.toFixed(2),
      String(coldMost),
      warm.toFixed(3),
      String(wrong),
      `${changes}${isIdeal ? '' : ', not ideal'}`,
      ((process.cpuUsage().user - startMicros) / 1e6).toFixed(0),
      (process.memoryUsage.rss() / 1e6).toFixed(0),
    ])
  }
  const header = [
    'positions',
    'cold',
    'goal',
    'most',
    'warm (goal 1.1)',
    'wrong',
    'changed by upkeep',
    'processor s',
    'MB',
  ]
  print('Hops of a lookup, the last one confirming', header, rows)
}

async function showUpkeep(): Promise<void> {
  const rows: string[][] = []
  for (const positions of [16, 256, 1_024]) {
    const { bytesPerSecond, callsPerSecond } = await measureUpkeep(positions)
    const ratio = bytesPerSecond / bambooBytesPerSecond
    rows.push([String(positions), bytesPerSecond.toFixed(0), callsPerSecond.toFixed(2), ratio.toFixed(2)])
  }
  print(
    'Upkeep of a position at rest',
    ['positions', 'bytes/s', 'calls/s', `× Bamboo's ${bambooBytesPerSecond} B/s (goal 1)`],
    rows,
  )
}

async function showChurn(): Promise<void> {
  const rows: string[][] = []
  for (const median of [10, 5, 1.4]) {
    const figures = await measureChurn(churnPeers, median, churnMinutes)
    const { lookups, right, failed, wrongAccepting, durationsMs, bytesPerSecond } = figures
    const quantileMs = (part: number): string =>
      durationsMs[Math.floor(part * (durationsMs.length - 1))]!.toFixed(0)
    rows.push([
      String(median),
      String(lookups),
      `${((100 * right) / lookups).toFixed(3)} %`,
      String(failed),
      String(wrongAccepting),
      quantileMs(0.5),
      quantileMs(0.95),
      bytesPerSecond.toFixed(0),
    ])
  }
  const header = [
    'median session, min',
    'lookups',
    'right (goal 99.9 %)',
    'failed',
    'wrong accepting (goal 0)',
    'median ms',
    '95 % within',
    'bytes/s and peer',
  ]
  print(`Lookups under churn, ${churnPeers} peers for ${churnMinutes} minutes`, header, rows)
}

async function showHealing(): Promise<void> {
  const rows: string[][] = []
  for (const share of [0.1, 0.3, 0.5]) {
    const { idealSeconds, ownedSeconds, lookupsRight } = await measureHealing(256, share)
    rows.push([
      `${100 * share} %`,
      idealSeconds.toFixed(1),
      ownedSeconds.toFixed(1),
      `${(100 * lookupsRight).toFixed(0)} %`,
    ])
  }
  const header = [
    'die at once',
    'ring ideal, s',
    'every key owned, s',
    'lookups begun then, right (goal 100 %)',
  ]
  print('Healing, 256 peers', header, rows)
}

function print(title: string, header: string[], rows: string[][]): void {
  console.log(`\n${title}\n${printTable(header, rows)}`)
}
