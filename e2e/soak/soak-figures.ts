// What a soak makes of its samples: lines fitted to the second half, and whether anything grows without bound.
//
// Garbage makes memory go up and down: what counts is the lowest of each window, which only what is kept for good raises.

import { delayBounds } from '../../src/app/status/event-loop-delay.ts'

/** One peer at one moment. */
export interface Sample {
  readonly seconds: number
  readonly peer: string
  /** Of the machine: processes that want a processor. */
  readonly load: number
  /** Resident in all, and of this what no file could give back: a mapped index counts in the first only. */
  readonly residentBytes: number
  readonly ownBytes: number
  readonly heapBytes: number
  /** Of buffers, whatever their part of a larger block that is used. */
  readonly bufferBytes: number
  readonly descriptors: number
  readonly threads: number
  readonly diskBytes: number
  readonly captures: number
  readonly fetched: number
  readonly cpuSeconds: number
  /** Since the peer's start, by delayBounds. */
  readonly delays: readonly number[]
}

/** Of one peer, over the second half. */
export interface SoakFigures {
  readonly peer: string
  readonly ownBytesPerHour: number
  readonly ownBytes: number
  readonly heapBytesPerHour: number
  readonly bufferBytesPerHour: number
  readonly descriptorsPerHour: number
  readonly descriptorsMax: number
  readonly diskBytesPerHour: number
  readonly bytesPerCapture: number
  /** Of the first half, without its first fifth: a peer that begins makes room once. */
  readonly bytesPerCaptureBefore: number
  readonly delaySeconds: number
  readonly failures: readonly string[]
}

export interface Point {
  readonly x: number
  readonly y: number
}

const hour = 3_600
const windows = 12
/** What the fitted line may gain from the middle to the end. */
const memoryGrowthMax = 0.1
const descriptorsGrowthMin = 10
const perCaptureGrowthMax = 1.5

export function figuresOf(samples: readonly Sample[]): SoakFigures {
  const endSeconds = samples.at(-1)!.seconds
  const first = samples.filter(({ seconds }) => seconds > endSeconds / 10 && seconds <= endSeconds / 2)
  const second = samples.filter(({ seconds }) => seconds > endSeconds / 2)
  const own = lowest(second.map(({ seconds, ownBytes }) => ({ x: seconds, y: ownBytes })))
  const heap = lowest(second.map(({ seconds, heapBytes }) => ({ x: seconds, y: heapBytes })))
  const buffers = lowest(second.map(({ seconds, bufferBytes }) => ({ x: seconds, y: bufferBytes })))
  const open = lowest(second.map(({ seconds, descriptors }) => ({ x: seconds, y: descriptors })))
  const ownBytes = mean(own)
  const figures = {
    peer: samples[0]!.peer,
    ownBytesPerHour: slopeOf(own) * hour,
    ownBytes,
    heapBytesPerHour: slopeOf(heap) * hour,
    bufferBytesPerHour: slopeOf(buffers) * hour,
    descriptorsPerHour: slopeOf(open) * hour,
    descriptorsMax: Math.max(...samples.map(({ descriptors }) => descriptors)),
    diskBytesPerHour: slopeOf(second.map(({ seconds, diskBytes }) => ({ x: seconds, y: diskBytes }))) * hour,
    bytesPerCapture: bytesPerCapture(second),
    bytesPerCaptureBefore: bytesPerCapture(first),
    delaySeconds: delayOf(samples[0]!.delays, samples.at(-1)!.delays, 0.999),
  }
  return { ...figures, failures: failuresOf(figures, mean(open), endSeconds / 2 / hour) }
}

type Growth = Omit<SoakFigures, 'failures'>

function failuresOf(figures: Growth, descriptors: number, hours: number): string[] {
  const failures: string[] = []
  const memory = (figures.ownBytesPerHour * hours) / figures.ownBytes
  if (memory > memoryGrowthMax)
    failures.push(`memory grew by ${percent(memory)} in the second half (${percent(memoryGrowthMax)} may be)`)
  const opened = figures.descriptorsPerHour * hours
  if (opened > Math.max(descriptorsGrowthMin, descriptors * memoryGrowthMax))
    failures.push(`${Math.round(opened)} more descriptors were open at the end than in the middle`)
  const dearer = figures.bytesPerCapture / figures.bytesPerCaptureBefore
  if (dearer > perCaptureGrowthMax)
    failures.push(`a capture took ${dearer.toFixed(1)} times the disk in the second half`)
  return failures
}

/** By least squares. */
export function slopeOf(points: readonly Point[]): number {
  const [x, y] = [mean(points.map((point) => ({ ...point, y: point.x }))), mean(points)]
  let [across, along] = [0, 0]
  for (const point of points) {
    across += (point.x - x) * (point.y - y)
    along += (point.x - x) ** 2
  }
  return along === 0 ? 0 : across / along
}

/** The lowest point of each of some windows. */
function lowest(points: readonly Point[]): Point[] {
  const each = Math.max(1, Math.floor(points.length / windows))
  const lows: Point[] = []
  for (let start = 0; start < points.length; start += each)
    lows.push(points.slice(start, start + each).reduce((low, point) => (point.y < low.y ? point : low)))
  return lows
}

/** What each further capture takes. */
function bytesPerCapture(samples: readonly Sample[]): number {
  return slopeOf(samples.map(({ captures, diskBytes }) => ({ x: captures, y: diskBytes })))
}

/** The delay that this share of the looks between two samples did not exceed, by interpolation within its bounds. */
export function delayOf(before: readonly number[], after: readonly number[], share: number): number {
  const counts = after.map((count, index) => count - before[index]!)
  const wanted = counts.at(-1)! * share
  const index = counts.findIndex((count) => count >= wanted)
  const [low, high] = [index === 0 ? 0 : delayBounds[index - 1]!, delayBounds[index]!]
  const below = index === 0 ? 0 : counts[index - 1]!
  if (!Number.isFinite(high) || counts[index] === below) return low
  return low + ((high - low) * (wanted - below)) / (counts[index]! - below)
}

function mean(points: readonly Point[]): number {
  return points.reduce((sum, { y }) => sum + y, 0) / points.length
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`
}
