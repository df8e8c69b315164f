import { expose } from 'comlink'

expose({
  async sum(path) {
    const numbers = await (await fetch(path)).json()
    return numbers.reduce((one, other) => one + other, 0)
  },
})
