// `polyhistor url` with nothing but URLs and `--json`: without the options that all commands share, for to load what reads them takes
// longer than all the rest. In the package a file by itself (scripts/build-url.ts).

import { showUrls } from './commands/url.ts'
import { areUrlsAlone } from './input/plain-urls.ts'
import { Terminal } from './output/terminal.ts'

/** `words`: the whole command line. Gives whether it was one of these; nothing happens where it was not. */
export function runUrlsAlone(words: readonly string[]): boolean {
  if (!areUrlsAlone(words)) return false
  void show(words.slice(1))
  return true
}

async function show(words: readonly string[]): Promise<void> {
  const urls = words.filter((word) => word !== '--json')
  process.exitCode = await showUrls({ terminal: new Terminal(), isJson: urls.length < words.length }, urls)
}
