// Missing parts: which of the parts that a page or a worker asked for the archive lacks, and how a worker tells its page.
//
// The server says so of each part in a header that scripts may read (Server-Timing). A browser lists the parts of a worker in the
// worker alone, so the worker gets a port to tell of them with the first message that is sent to it, which the archived script
// never sees. Workers of workers tell the one that started them.

const workerMissingMax = 200
/** As they are before a page's script changes or extends them. */
const NativeChannel = self.MessageChannel
const postToWorker = self.Worker?.prototype.postMessage
const readHeader = self.Headers.prototype.get

/** The archived URL, by the browser's entry for a part; undefined where the archive has it. */
export function missingUrlOf({ serverTiming = [] }) {
  return serverTiming.find(({ name }) => name === 'missing')?.description || undefined
}

/**
 * Before wombat, in a page or a worker. Browsers make the entry of an answer when its body has been read, and scripts that see
 * a 404 seldom read on. `tell` gets lists of archived URLs.
 */
export function hearMissingOfFetch(scope, tell) {
  const nativeFetch = scope.fetch
  scope.fetch = function fetch(...given) {
    const answer = nativeFetch.apply(this, given)
    answer.then(
      ({ headers }) => {
        const missing = /(?:^|,)\s*missing;desc="([^"]*)"/.exec(readHeader.call(headers, 'Server-Timing'))
        if (missing !== null) tell([missing[1]])
      },
      () => {},
    )
    return answer
  }
}

/** For whoever started a worker, before anything else is said to it. `tell` gets lists of archived URLs. */
export function hearMissing(worker, tell) {
  const { port1, port2 } = new NativeChannel()
  port1.onmessage = ({ data }) => tell(data)
  postToWorker.call(worker, null, [port2])
}

/** In a worker, before anybody else listens to messages. Gives what takes lists of further URLs, to be told as well. */
export function tellMissing() {
  const told = new Set()
  let waiting = []
  let port
  const flush = () => {
    if (port === undefined || waiting.length === 0) return
    port.postMessage(waiting)
    waiting = []
  }
  const tell = (urls) => {
    for (const url of urls) {
      if (told.has(url) || told.size === workerMissingMax) continue
      told.add(url)
      waiting.push(url)
    }
    flush()
  }
  const takePort = (event) => {
    event.stopImmediatePropagation()
    port = event.ports[0]
    flush()
  }
  addEventListener('message', takePort, { once: true })
  try {
    new PerformanceObserver((list) =>
      tell(list.getEntries().flatMap((entry) => missingUrlOf(entry) ?? [])),
    ).observe({ type: 'resource', buffered: true })
  } catch {
    // A browser without it: nothing can be told of this worker.
  }
  return tell
}
