// `npm run bench -- NAME [options]`: runs bench/NAME.bench.ts. With no name, lists what there is; with `--help` after a name,
// tells what that one measures and its options: what its file begins with.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.bench.ts'))
  .map((file) => file.replace('.bench.ts', ''))

const [name, ...words] = process.argv.slice(2)
if (name === undefined || !names.includes(name)) {
  console.error(`Usage: npm run bench -- NAME [--help]\nBenchmarks: ${names.join(', ')}`)
  process.exit(name === undefined || name === '--help' ? 0 : 64)
}
const file = join(import.meta.dirname, `${name}.bench.ts`)
if (words.includes('--help')) {
  const lines = readFileSync(file, 'utf8').split('\n')
  const end = lines.findIndex((line) => !line.startsWith('//'))
  for (const line of lines.slice(0, end)) console.log(line.replace(/^\/\/ ?/, ''))
  process.exit(0)
}
const { run } = (await import(file)) as { run(words: string[]): Promise<void> }
try {
  await run(words)
} catch (error) {
  if (!String((error as { code?: unknown }).code).startsWith('ERR_PARSE_ARGS')) throw error
  console.error(`${(error as Error).message}\nnpm run bench -- ${name} --help tells its options.`)
  process.exit(64)
}
