// `polyhistor demo`: five peers and a little web on this machine, to look at.

import { hostAndPort } from '../../config/kinds.ts'
import { runDemo } from '../../demo/demo.ts'
import type { Context } from '../context.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { optionValue } from '../input/option-values.ts'
import { listenForInterruption } from '../interruption.ts'

interface Options {
  http?: string
}

export async function showDemo(context: Context, _words: string[], options: Options): Promise<ExitCode> {
  const { terminal, isJson } = context
  const { host, port } = optionValue(hostAndPort, '--http', options.http ?? 'localhost:7080')
  const interruption = listenForInterruption(() =>
    terminal.tell('Ending the demo, and removing what it made.'),
  )
  const onUp = async (url: string) => {
    if (isJson) await terminal.printJson({ url })
    else await terminal.printLine(`${url}  Open it: five peers start, and archive a little web together.`)
  }
  const tell = (sentence: string) => {
    if (!isJson) terminal.tell(sentence)
  }
  try {
    await runDemo({ host, port, isAnyPortFine: options.http === undefined, tell }, interruption.signal, onUp)
  } finally {
    interruption.release()
  }
  return exitCodes.ok
}
