self.onmessage = async ({ data: { canvas } }) => {
  const { colours } = await (await fetch('/data/drawing.json')).json()
  const context = canvas.getContext('2d')
  for (const [at, colour] of colours.entries()) {
    context.fillStyle = colour
    context.fillRect(at * 100, 0, 100, 100)
  }
  requestAnimationFrame(() => postMessage(colours.length))
}
