// Where the folders of one layer are put in the picture of ARCHITECTURE.md: on a grid, so that every arrow points downwards,
// and as few as possible cross each other or pass behind a folder that they do not belong to.
//
// The same folders and imports give the same layout: it is searched from fixed beginnings, by swapping two places as long as that
// makes it better.

export type Arrow = readonly [from: string, to: string]

/** Of a folder: its column and row. */
export type Layout = ReadonlyMap<string, readonly [column: number, row: number]>

const beginnings = 24

export function layOut(folders: readonly string[], arrows: readonly Arrow[], columns: number): Layout {
  const rows = Math.max(Math.ceil(folders.length / columns), longestPath(folders, arrows))
  const candidates = Array.from({ length: beginnings }, (_, seed) => {
    const places = shuffled([...folders, ...Array(rows * columns - folders.length).fill('')], seed + 1)
    return improved(places, arrows, columns)
  })
  const best = candidates.reduce((one, other) => (other.cost < one.cost ? other : one))
  return layoutOf(best.places, columns)
}

function longestPath(folders: readonly string[], arrows: readonly Arrow[]): number {
  const lengthFrom = (folder: string): number =>
    1 + Math.max(0, ...arrows.filter(([from]) => from === folder).map(([, to]) => lengthFrom(to)))
  return Math.max(...folders.map(lengthFrom))
}

function improved(places: string[], arrows: readonly Arrow[], columns: number) {
  let cost = costOf(layoutOf(places, columns), arrows)
  for (let isBetter = true; isBetter; ) {
    isBetter = false
    for (let one = 0; one < places.length; one++) {
      for (let other = one + 1; other < places.length; other++) {
        const swapped = places.with(one, places[other]!).with(other, places[one]!)
        const swappedCost = costOf(layoutOf(swapped, columns), arrows, cost)
        if (swappedCost >= cost) continue
        places = swapped
        cost = swappedCost
        isBetter = true
      }
    }
  }
  return { places, cost }
}

function layoutOf(places: readonly string[], columns: number): Layout {
  const layout = new Map<string, Place>()
  for (const [index, folder] of places.entries())
    if (folder !== '') layout.set(folder, [index % columns, Math.floor(index / columns)])
  return layout
}

/** Counts no further than `enough`: most swaps are worse, which is soon seen by arrows that point upwards. */
function costOf(layout: Layout, arrows: readonly Arrow[], enough = Number.POSITIVE_INFINITY): number {
  const lines = arrows.map(([from, to]) => [layout.get(from)!, layout.get(to)!] as const)
  let cost = 0
  for (const [start, end] of lines) {
    if (end[1] <= start[1]) cost += 1_000
    cost += Math.abs(end[0] - start[0]) + 4 * Math.abs(end[1] - start[1] - 1)
  }
  for (let index = 0; index < lines.length && cost < enough; index++) {
    const line = lines[index]!
    for (const at of layout.values()) if (passesBehind(at, line)) cost += 12
    for (let other = index + 1; other < lines.length; other++) if (cross(line, lines[other]!)) cost += 6
  }
  return cost
}

type Place = readonly [column: number, row: number]
type Line = readonly [start: Place, end: Place]

/** That a line comes too near to a folder between its ends. */
function passesBehind([column, row]: Place, [start, end]: Line): boolean {
  if (row <= start[1] || row >= end[1]) return false
  const columnThere = start[0] + ((end[0] - start[0]) * (row - start[1])) / (end[1] - start[1])
  return Math.abs(columnThere - column) < 0.75
}

function cross([a, b]: Line, [c, d]: Line): boolean {
  return side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0
}

/** On which side of a line: its sign. */
function side(from: Place, to: Place, at: Place): number {
  return (to[0] - from[0]) * (at[1] - from[1]) - (to[1] - from[1]) * (at[0] - from[0])
}

function shuffled(items: readonly string[], seed: number): string[] {
  const places = [...items]
  let state = seed
  for (let index = places.length - 1; index > 0; index--) {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    const other = Math.floor((state / 2 ** 31) * (index + 1))
    ;[places[index], places[other]] = [places[other]!, places[index]!]
  }
  return places
}
