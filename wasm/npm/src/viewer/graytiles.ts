import type OpenSeadragon from "openseadragon";

/** Takes colour from a viewer's tiles, each once, so that frames take no longer. */
export class GrayTiles {
  private colour = 1;

  constructor(private readonly viewer: OpenSeadragon.Viewer) {}

  /** Leaves so much of the colour, 0 to 1. */
  keep(colour: number): void {
    if (colour === this.colour) return;
    // Without a handler, tiles are shown as they were loaded.
    if (this.colour === 1) this.viewer.addHandler("tile-invalidated", this.fade);
    else if (colour === 1) this.viewer.removeHandler("tile-invalidated", this.fade);
    this.colour = colour;
    void this.viewer.requestInvalidate();
  }

  /** Gives the colour back. */
  end(): void {
    if (this.viewer.isOpen()) return this.keep(1);
    this.viewer.removeHandler("tile-invalidated", this.fade);
    this.colour = 1;
  }

  private readonly fade = async (event: OpenSeadragon.TileInvalidatedEvent): Promise<void> => {
    const context = (await event.getData("context2d")) as CanvasRenderingContext2D | undefined;
    if (!context || (await event.outdated())) return;
    context.save();
    context.globalCompositeOperation = "saturation";
    context.globalAlpha = 1 - this.colour;
    context.fillStyle = "#808080";
    context.fillRect(0, 0, context.canvas.width, context.canvas.height);
    context.restore();
    await event.setData(context, "context2d");
  };
}
