// Measures rates side by side: contenders take turns within every round, so that a busy machine slows all of them,
// and the median over rounds is what counts.

export interface Contender {
  name: string
  /** Does the work once. `operations` of them are done in each call. */
  run(): void | Promise<void>
  operations: number
  /** Bytes of input per operation, for MB/s. */
  bytes?: number
}

export interface Measurement {
  name: string
  /** The median over rounds. */
  perSecond: number
  megabytesPerSecond: number | undefined
  /** Of each round, so that contenders can be compared round by round: what disturbs one disturbs its neighbours too. */
  perSecondOfRounds: number[]
}

export interface MeasureOptions {
  rounds?: number
  /** Each contender's share of a round lasts at least this long. */
  roundMs?: number
}

/** One measurement per contender, in the order given. */
export async function measure(
  contenders: readonly Contender[],
  options: MeasureOptions = {},
): Promise<Measurement[]> {
  const { rounds = 11, roundMs = 150 } = options
  const rates = contenders.map((): number[] => [])
  for (const contender of contenders) await rateOf(contender, roundMs)
  for (let round = 0; round < rounds; round++) {
    for (const [index, contender] of contenders.entries()) {
      rates[index]!.push(await rateOf(contender, roundMs))
    }
  }
  return contenders.map(({ name, bytes }, index) => {
    const perSecond = median(rates[index]!)
    return {
      name,
      perSecond,
      megabytesPerSecond: bytes === undefined ? undefined : (perSecond * bytes) / 1e6,
      perSecondOfRounds: rates[index]!,
    }
  })
}

async function rateOf(contender: Contender, roundMs: number): Promise<number> {
  const start = performance.now()
  let calls = 0
  let elapsedMs = 0
  while (elapsedMs < roundMs) {
    await contender.run()
    calls++
    elapsedMs = performance.now() - start
  }
  return (calls * contender.operations * 1000) / elapsedMs
}

/** How much faster the one is than the other: the median of the rounds' ratios. */
export function ratioOf(one: Measurement, other: Measurement): number {
  return median(one.perSecondOfRounds.map((rate, round) => rate / other.perSecondOfRounds[round]!))
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** Rows of text in aligned columns, numbers to the right. */
export function printTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [header, ...rows]
  const widths = header.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)))
  const line = (row: readonly string[]) =>
    widths
      .map((width, column) =>
        column === 0 ? (row[0] ?? '').padEnd(width) : (row[column] ?? '').padStart(width),
      )
      .join('  ')
  return [line(header), widths.map((width) => '-'.repeat(width)).join('  '), ...rows.map(line)].join('\n')
}
