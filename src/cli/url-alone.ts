// `polyhistor url` with nothing but URLs and `--json`: without the options that all commands share, for to load what reads them takes
// longer than all the rest.

import { showUrls } from './commands/url.ts'
import type { ExitCode } from './exit-codes.ts'
import { Terminal } from './output/terminal.ts'

export function showUrlsAlone(words: readonly string[]): Promise<ExitCode> {
  const urls = words.filter((word) => word !== '--json')
  return showUrls({ terminal: new Terminal(), isJson: urls.length < words.length }, urls)
}
