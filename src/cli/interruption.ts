// Ctrl-C and SIGTERM as an AbortSignal: the first asks the command to stop where nothing is lost, the second ends it.

interface Interruption {
  readonly signal: AbortSignal
  /** Back to the usual: a signal ends the process. */
  release(): void
}

export function listenForInterruption(tell: (sentence: string) => void): Interruption {
  const controller = new AbortController()
  const stop = () => {
    release()
    tell('Stopping; the same command goes on from here later. Press Ctrl-C again to end at once.')
    controller.abort()
  }
  const release = () => {
    process.off('SIGINT', stop)
    process.off('SIGTERM', stop)
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  return { signal: controller.signal, release }
}
