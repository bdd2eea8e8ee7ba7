/* viewer.d.ts - what the types of browsers lack of what the viewer uses. */
interface SVGSVGElement {
	heatMap?: (viewer: any) => Promise<any>; /* left by heat.js or time.js for flame.js */
	timeGrid?: any; /* left by timegrid.js for time.js */
}

interface Uint8ArrayConstructor {
	fromBase64?: (text: string) => Uint8Array; /* of browsers from 2025 on */
}
