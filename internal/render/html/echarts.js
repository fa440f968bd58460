// The parts of Apache ECharts that the report draws with; bundle.go makes dist/echarts.js of them.
import * as core from "echarts/core";
import { BarChart, BoxplotChart, CustomChart, LineChart, ScatterChart } from "echarts/charts";
import {
  AriaComponent,
  AxisPointerComponent,
  DatasetComponent,
  DataZoomComponent,
  GridComponent,
  LegendComponent,
  MarkAreaComponent,
  MarkLineComponent,
  ToolboxComponent,
  TooltipComponent,
} from "echarts/components";
import { CanvasRenderer } from "echarts/renderers";

core.use([
  BarChart, BoxplotChart, CustomChart, LineChart, ScatterChart,
  AriaComponent, AxisPointerComponent, DatasetComponent, DataZoomComponent, GridComponent,
  LegendComponent, MarkAreaComponent, MarkLineComponent, ToolboxComponent, TooltipComponent,
  CanvasRenderer,
]);

globalThis.echarts = { init: core.init, graphic: core.graphic, version: core.version };
