// The real log: structured lines on stderr, so that stdout stays free for what commands print.
//
// What writes it is loaded with the first line: most runs have none, and loading takes longer than some commands do.

import { createRequire } from 'node:module'
import type * as Pino from 'pino'
import type * as PinoPretty from 'pino-pretty'
import type { Log, LogLevel } from '../log.ts'

export interface LogChoice {
  level: LogLevel | 'silent'
  format: 'auto' | 'pretty' | 'json'
}

const levels: readonly LogChoice['level'][] = ['debug', 'info', 'warn', 'error', 'silent']
const load = createRequire(import.meta.url)

/** A function where the choice may change while the log is open. */
export function openLog(
  choice: LogChoice | (() => LogChoice),
  stream: NodeJS.WriteStream = process.stderr,
): Log {
  const chosen = typeof choice === 'function' ? choice : () => choice
  // It lets everything through: what is told is decided here, by each line.
  return openedByFirstLine(chosen, {
    pretty: once(() => openPino(true, stream)),
    json: once(() => openPino(false, stream)),
    isTerminal: stream.isTTY === true,
  })
}

interface Openers {
  readonly pretty: () => Log
  readonly json: () => Log
  readonly isTerminal: boolean
}

function openedByFirstLine(chosen: () => LogChoice, openers: Openers): Log {
  const at =
    (level: LogLevel) =>
    (facts: object, sentence: string): void => {
      const { level: least, format } = chosen()
      if (levels.indexOf(level) < levels.indexOf(least)) return
      const isPretty = format === 'pretty' || (format === 'auto' && openers.isTerminal)
      openers[isPretty ? 'pretty' : 'json']()[level](facts, sentence)
    }
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (facts) =>
      openedByFirstLine(chosen, {
        ...openers,
        pretty: once(() => openers.pretty().child(facts)),
        json: once(() => openers.json().child(facts)),
      }),
  }
}

function once(open: () => Log): () => Log {
  let log: Log | undefined
  return () => (log ??= open())
}

function openPino(isPretty: boolean, stream: NodeJS.WriteStream): Log {
  const { pino } = load('pino') as typeof Pino
  return pino(
    { level: 'debug', base: null, timestamp: pino.stdTimeFunctions.isoTime },
    isPretty ? prettyOn(stream) : stream,
  )
}

function prettyOn(stream: NodeJS.WriteStream): Pino.DestinationStream {
  const { prettyFactory } = load('pino-pretty') as typeof PinoPretty
  const pretty = prettyFactory({
    colorize: stream.isTTY === true,
    translateTime: 'SYS:HH:MM:ss',
    ignore: 'pid,hostname',
  })
  return { write: (line) => stream.write(pretty(line)) }
}
