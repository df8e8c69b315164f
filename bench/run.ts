// `npm run bench -- NAME [options]`: runs bench/NAME.bench.ts. With no name, lists what there is.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'

const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.bench.ts'))
  .map((file) => file.replace('.bench.ts', ''))

const [name, ...words] = process.argv.slice(2)
if (name === undefined || !names.includes(name)) {
  console.error(`Usage: npm run bench -- NAME\nBenchmarks: ${names.join(', ')}`)
  process.exit(name === undefined ? 0 : 64)
}
const { run } = (await import(join(import.meta.dirname, `${name}.bench.ts`))) as {
  run(words: string[]): Promise<void>
}
await run(words)
