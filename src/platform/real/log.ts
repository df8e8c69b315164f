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

export function openLog(choice: LogChoice, stream: NodeJS.WriteStream = process.stderr): Log {
  return openedByFirstLine(choice.level, () => openPino(choice, stream))
}

function openedByFirstLine(least: LogChoice['level'], open: () => Log): Log {
  let log: Log | undefined
  const opened = (): Log => (log ??= open())
  const at =
    (level: LogLevel) =>
    (facts: object, sentence: string): void => {
      if (levels.indexOf(level) >= levels.indexOf(least)) opened()[level](facts, sentence)
    }
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (facts) => openedByFirstLine(least, () => opened().child(facts)),
  }
}

function openPino({ level, format }: LogChoice, stream: NodeJS.WriteStream): Log {
  const { pino } = load('pino') as typeof Pino
  const isPretty = format === 'pretty' || (format === 'auto' && stream.isTTY === true)
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
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
